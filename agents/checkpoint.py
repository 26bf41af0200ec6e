"""Checkpoints: a folder with ``model.safetensors`` and ``meta.json``.

``meta.json`` says what the weights are: agent, network, observation schema, action codec, training settings and
history, baselines, versions. It carries the digest of the weights and its own, so an altered or cut file is
refused. Nothing is ever unpickled.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import math
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from melee_env.errors import CheckpointError

if TYPE_CHECKING:
    from torch import Tensor, nn

FORMAT = 1
WEIGHTS, META, PENDING = "model.safetensors", "meta.json", "meta.json.new"
VERSIONED = ("melee-env-suite", "torch", "stable-baselines3", "numpy", "safetensors")


def save(path: str | Path, weights: Mapping[str, Tensor], meta: Mapping[str, Any]) -> None:
    """Write a checkpoint so that a reader at any moment finds the old or the new one, never a mixture.

    Args:
        path: the folder, made if missing.
        weights: tensors by name.
        meta: plain values; must hold ``agent``. NaN and infinity become null.
    """
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    weights_file = folder / (WEIGHTS + ".new")
    save_tensors(weights_file, weights)
    content = plain(
        {**meta, "format": FORMAT, "versions": versions(), "weights_sha256": _sha256(weights_file)}
    )
    content["digest"] = _digest(content)
    pending = folder / PENDING
    pending.write_text(json.dumps(content, indent=1, allow_nan=False), encoding="utf-8")
    # A crash between these two leaves new weights beside an old meta.json; read_meta then takes the pending one.
    os.replace(weights_file, folder / WEIGHTS)
    os.replace(pending, folder / META)


def read_meta(path: str | Path) -> dict[str, Any]:
    """Read and check ``meta.json``, and that the weights beside it are the ones it describes.

    Raises:
        CheckpointError: anything is missing, cut or altered.
    """
    folder = Path(path)
    for name in (WEIGHTS, META):
        if not (folder / name).is_file():
            raise CheckpointError(f"{folder}: no checkpoint here ({name} is missing)")
    actual, meta = _sha256(folder / WEIGHTS), _read_json(folder / META)
    if actual != meta["weights_sha256"] and (folder / PENDING).is_file():
        meta = _read_json(folder / PENDING)
    if actual != meta["weights_sha256"]:
        raise CheckpointError(f"{folder}: {WEIGHTS} is cut or altered (its sha256 is not the one in {META})")
    return meta


def load_weights(path: str | Path, module: nn.Module) -> None:
    """Put the checkpoint's weights into ``module``; names and shapes must agree exactly."""
    tensors, _ = load_tensors(Path(path) / WEIGHTS)
    expected = module.state_dict()
    if tensors.keys() != expected.keys():
        missing, extra = sorted(expected.keys() - tensors.keys()), sorted(tensors.keys() - expected.keys())
        raise CheckpointError(
            f"{path}: weights do not fit the network (missing {missing}, unexpected {extra})"
        )
    for name, tensor in tensors.items():
        if tensor.shape != expected[name].shape:
            raise CheckpointError(
                f"{path}: {name} has shape {list(tensor.shape)}, the network wants {list(expected[name].shape)}"
            )
    module.load_state_dict(tensors)


def save_tensors(
    file: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None
) -> None:
    """Write tensors and strings to one safetensors file, replacing an older one in a single step."""
    from safetensors.torch import save_file

    pending = file.with_name(file.name + ".part")
    contiguous = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    save_file(contiguous, pending, dict(metadata) if metadata else None)
    os.replace(pending, file)


def load_tensors(file: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Read the tensors and strings of a safetensors file.

    Raises:
        CheckpointError: it is missing, cut or not such a file.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, framework="pt") as content:
            return {name: content.get_tensor(name) for name in content.keys()}, content.metadata() or {}
    except (OSError, SafetensorError, ValueError) as error:
        raise CheckpointError(f"{file}: not a readable safetensors file ({error})") from error


def check_observation(path: str | Path, meta: Mapping[str, Any], schema_hash: str) -> None:
    """Refuse a checkpoint that was trained on another observation schema, and name both."""
    observation = meta["observation"]
    if observation["schema_hash"] != schema_hash:
        raise CheckpointError(
            f"{path}: trained on observation {observation['name']!r} with schema {observation['schema_hash']}, "
            f"this installation's is {schema_hash}; install the version that trained it or train anew"
        )


def versions() -> dict[str, str]:
    """Return the versions that made a checkpoint."""
    found = {"python": platform.python_version()}
    for package in VERSIONED:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def plain(value: Any) -> Any:
    """Return ``value`` as JSON can hold it: tuples become lists, numbers Python's, NaN and infinity null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _read_json(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise CheckpointError(f"{file}: not readable JSON ({error})") from error
    if not isinstance(content, dict) or "digest" not in content:
        raise CheckpointError(f"{file}: not the description of a checkpoint")
    if content["digest"] != _digest(content):
        raise CheckpointError(f"{file}: altered (its digest does not fit)")
    if content.get("format") != FORMAT:
        raise CheckpointError(f"{file}: format {content.get('format')!r}, this version reads {FORMAT}")
    return content


def _digest(content: Mapping[str, Any]) -> str:
    text = json.dumps({k: v for k, v in content.items() if k != "digest"}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
