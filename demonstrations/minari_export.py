"""Write trajectories as a Minari data set, with what Minari can say about one."""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from melee_env.errors import MissingExtra, OptionError

if TYPE_CHECKING:
    from imitation.data.types import TrajectoryWithRew

NAMESPACE = "namespace_metadata.json"
"""Minari's mark of a folder that groups data sets."""
FOLDER = "MINARI_DATASETS_PATH"
"""Where Minari looks for them."""


@dataclass(frozen=True)
class Description:
    """What a data set says about itself; what is empty is left out."""

    env: str = "melee_env/Versus-v0"
    """the environment to evaluate in; Minari's ``recover_environment`` makes it with this observation and action"""
    observation: str = "compact"
    """observation encoder of the trajectories"""
    action: str = "multidiscrete"
    """action codec of the trajectories"""
    algorithm: str = "recorded play"
    """who or what played"""
    author: str = ""
    """name"""
    author_email: str = ""
    """or another way to reach the author"""
    code_permalink: str = ""
    """versioned code that made the data set"""
    text: str = "Super Smash Bros. Melee, recorded games: the observation and the action of one player"
    """what is in it"""


def export(
    trajectories: Iterable[TrajectoryWithRew],
    dataset_id: str,
    root: str | os.PathLike[str],
    description: Description | None = None,
) -> dict[str, int]:
    """Write a data set that ``minari.load_dataset(dataset_id)`` finds when ``MINARI_DATASETS_PATH`` is ``root``.

    Episodes are terminated where the game was decided and truncated elsewhere. An episode's metadata name its game,
    seat, port and player. The set appears whole or not at all.

    Args:
        trajectories: see :func:`demonstrations.load_trajectories`; taken one at a time.
        dataset_id: Minari's id, e.g. ``melee/fox-v0``.
        root: folder of data sets.
        description: see :class:`Description`.

    Returns:
        ``episodes`` and ``steps``.

    Raises:
        OptionError: an impossible or taken id, an unknown environment, observation or action, or no trajectory.
        MissingExtra: minari is not installed.
    """
    import gymnasium as gym

    import melee_env  # noqa: F401  # registers the environments
    from melee_env.actions import make_codec
    from melee_env.observations import make_encoder

    try:
        import minari
        from minari.dataset.minari_dataset import parse_dataset_id
    except ImportError as error:
        raise MissingExtra("minari", "imitation") from error
    about = description or Description()
    try:
        parse_dataset_id(dataset_id)
        spec = gym.spec(about.env)
    except (ValueError, gym.error.Error) as error:
        raise OptionError(str(error).split("\n")[0]) from error
    spec = replace(spec, kwargs={**spec.kwargs, "observation": about.observation, "action": about.action})
    out = Path(root).resolve()  # Minari's storage loses its way from a relative one
    if (out / dataset_id).exists():
        raise OptionError(f"{out / dataset_id} is there already; take the next version or remove it")
    out.mkdir(parents=True, exist_ok=True)
    infos: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(dir=out, prefix=".minari-") as scratch:
        with (
            _data_sets_in(scratch),
            warnings.catch_warnings(action="ignore", category=UserWarning),  # of what is left out
        ):
            dataset = minari.create_dataset_from_buffers(
                dataset_id,
                _episodes(trajectories, infos),  # type: ignore[arg-type]  # it goes through it once
                env=spec,
                observation_space=make_encoder(about.observation).space,
                action_space=make_codec(about.action).space,
                algorithm_name=about.algorithm or None,
                author=about.author or None,
                author_email=about.author_email or None,
                code_permalink=about.code_permalink or None,
                description=about.text or None,
                data_format="arrow",
            )
            if not infos:
                raise OptionError("there is no trajectory to export")
            dataset.storage.update_episode_metadata(infos, range(len(infos)))
            result = {"episodes": int(dataset.total_episodes), "steps": int(dataset.total_steps)}
        for mark in sorted(Path(scratch).rglob(NAMESPACE)):
            target = out / mark.relative_to(scratch)
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                os.replace(mark, target)
        os.replace(Path(scratch) / dataset_id, out / dataset_id)
    return result


@contextlib.contextmanager
def _data_sets_in(folder: str) -> Iterator[None]:
    """Let Minari keep its data sets in a folder, which it takes from the process's environment alone."""
    before = os.environ.get(FOLDER)
    os.environ[FOLDER] = folder
    try:
        yield
    finally:
        if before is None:
            del os.environ[FOLDER]
        else:
            os.environ[FOLDER] = before


def _episodes(trajectories: Iterable[TrajectoryWithRew], infos: list[dict[str, Any]]) -> Iterator[Any]:
    """Yield Minari's episodes, and note what each is."""
    import numpy as np
    from minari.data_collector.episode_buffer import EpisodeBuffer

    for number, trajectory in enumerate(trajectories):
        last = np.arange(len(trajectory)) == len(trajectory) - 1
        infos.append(dict(trajectory.infos[0]) if trajectory.infos is not None else {})
        yield EpisodeBuffer(
            id=number,
            observations=trajectory.obs,
            actions=trajectory.acts,
            rewards=trajectory.rews,
            terminations=last & trajectory.terminal,
            truncations=last & (not trajectory.terminal),
        )
