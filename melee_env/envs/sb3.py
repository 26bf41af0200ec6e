"""A native Stable-Baselines3 ``VecEnv``: the vector environment without a layer per game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from melee_env.envs.vector import VersusVectorEnv


class NativeVecEnv(VecEnv):
    """SB3's interface over :class:`VersusVectorEnv` in ``SAME_STEP`` mode."""

    def __init__(self, env: VersusVectorEnv) -> None:
        """Wrap a vector environment."""
        if env.autoreset_mode != AutoresetMode.SAME_STEP:
            raise ValueError("NativeVecEnv needs autoreset_mode SAME_STEP")
        self.env = env
        self.render_mode = env.render_mode
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)
        self._actions: NDArray[Any] | None = None

    def reset(self) -> NDArray[np.float32]:
        """Start all lanes with the seeds and options that were set."""
        seeds = list(self._seeds) if any(seed is not None for seed in self._seeds) else None
        options = {"lanes": list(self._options)} if any(self._options) else None
        observations, infos = self.env.reset(seed=seeds, options=options)
        self.reset_infos = [self._lane(infos, i) for i in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the kept actions."""
        observations, rewards, terminated, truncated, infos = self.env.step(self._actions)
        dones = terminated | truncated
        # Lanes that went on have every value; whole columns become lists far faster than single numbers.
        columns = {name: value.tolist() for name, value in infos.items() if _is_value(name)}
        columns["TimeLimit.truncated"] = (truncated & ~terminated).tolist()
        lanes = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        for i in np.flatnonzero(dones).tolist():
            self.reset_infos[i] = self._lane(infos, i)
            lanes[i] = {
                **self._lane(infos["final_info"], i),
                "terminal_observation": infos["final_obs"][i],
                "TimeLimit.truncated": lanes[i]["TimeLimit.truncated"],
            }
        return observations, rewards.astype(np.float32), dones, lanes

    @staticmethod
    def _lane(infos: dict[str, Any], i: int) -> dict[str, Any]:
        return {
            name: value[i].item() for name, value in infos.items() if _is_value(name) and infos[f"_{name}"][i]
        }

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of the lanes, once per lane; spaces are those of one lane."""
        shared = getattr(self.env, f"single_{attr_name}", None)
        value = getattr(self.env, attr_name) if shared is None else shared
        return [value] * len(self._indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of the vector environment; lanes share it, so ``indices`` must be all."""
        if len(self._indices(indices)) != self.num_envs:
            raise ValueError("the lanes share their attributes: set them for all")
        setattr(self.env, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of the lanes' :class:`melee_env.envs.games.Games` with the lane first."""
        method = getattr(self.env.games, method_name)
        return [method(i, *method_args, **method_kwargs) for i in self._indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[gym.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        """No lane is wrapped."""
        return [False] * len(self._indices(indices))

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Return a picture of every lane."""
        return self.env.render() or [None] * self.num_envs

    def _indices(self, indices: VecEnvIndices) -> list[int]:
        return list(self._get_indices(indices))


def _is_value(name: str) -> bool:
    """Tell the values of a vector environment's infos from their masks and from what an ended episode left."""
    return not name.startswith("_") and name not in ("final_obs", "final_info")


def make_vec(
    env_id: str = "melee_env/Versus-v0", num_envs: int = 1, seed: int | None = None, **kwargs: Any
) -> NativeVecEnv:
    """Build a native SB3 ``VecEnv`` of a registered id.

    Args:
        env_id: any id of this package.
        num_envs: number of games.
        seed: seed of lane 0; lane i gets ``seed + i``.
        **kwargs: arguments of the environment.

    Example:
        >>> from stable_baselines3 import PPO
        >>> from melee_env.sb3 import make_vec
        >>> model = PPO("MlpPolicy", make_vec("melee_env/Recovery-v0", num_envs=8, seed=0), n_steps=32)
    """
    env = gym.make_vec(
        env_id,
        num_envs=num_envs,
        vectorization_mode="vector_entry_point",
        autoreset_mode=AutoresetMode.SAME_STEP,
        **kwargs,
    )
    native = NativeVecEnv(env.unwrapped)  # type: ignore[arg-type]
    if seed is not None:
        native.seed(seed)
    return native
