"""Films of games as GIF or MP4 files."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.errors import MissingExtra, OptionError
from melee_env.frame import Frames
from melee_env.rendering.camera import View, follow
from melee_env.rendering.scene import render_frame

FRAMES_PER_SECOND = 60


def pictures(
    frames: Frames, width: int = 640, height: int = 480, every: int = 2
) -> Iterator[NDArray[np.uint8]]:
    """Draw every ``every``-th of ``frames`` ``[T]`` with a camera that moves smoothly."""
    view: View | None = None
    for index, frame in enumerate(frames):
        target = follow(frame, width, height)
        view = target if view is None else view.towards(target)
        if index % every == 0:
            yield render_frame(frame, width, height, view)


def write_video(
    path: str | Path, frames: Frames, width: int = 640, height: int = 480, every: int | None = None
) -> Path:
    """Write a film of ``frames`` ``[T]``; the suffix of ``path`` decides between GIF and MP4.

    The file appears under its name only when it is complete.

    Args:
        path: ``….gif`` or ``….mp4``.
        frames: ``[T]`` of ``FRAME_DTYPE``.
        width: pixels.
        height: pixels.
        every: draw every so many frames at the game's speed; None means 3 (20 pictures a second) for GIF, 1 for MP4.

    Returns:
        The path.

    Raises:
        MissingExtra: imageio (or its encoder) is not installed.
        OptionError: another suffix, or no frames.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in (".gif", ".mp4"):
        raise OptionError(
            f"cannot write a film as {path.suffix or 'a file without suffix'!r}; use .gif or .mp4"
        )
    if len(frames) == 0:
        raise OptionError(f"{path}: there are no frames to draw")
    if every is None:
        every = 3 if kind == ".gif" else 1
    pending = path.with_name(f".{path.stem}.{os.getpid()}.new{path.suffix}")
    try:
        film = pictures(frames, width, height, every)
        _write_gif(pending, film, every) if kind == ".gif" else _write_mp4(pending, film, every)
        os.replace(pending, path)
    finally:
        pending.unlink(missing_ok=True)
    return path


def _write_gif(path: Path, film: Iterable[NDArray[np.uint8]], every: int) -> None:
    """Write a GIF with one palette for all pictures, so that unchanged parts stay unchanged."""
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtra("pillow", "view") from None
    palette: Any = None
    images = []
    for picture in film:
        image = Image.fromarray(picture)
        if palette is None:
            palette = image.quantize(colors=128, method=Image.Quantize.MEDIANCUT)
        images.append(image.quantize(palette=palette, dither=Image.Dither.NONE))
    duration = round(1000 * every / FRAMES_PER_SECOND / 10) * 10
    images[0].save(path, save_all=True, append_images=images[1:], duration=duration, loop=0, optimize=False)


def _write_mp4(path: Path, film: Iterable[NDArray[np.uint8]], every: int) -> None:
    for package in ("imageio", "imageio_ffmpeg"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtra(package, "view")
    import imageio

    writer: Any
    with imageio.get_writer(
        path, fps=FRAMES_PER_SECOND / every, macro_block_size=2, quality=7, ffmpeg_log_level="error"
    ) as writer:
        for picture in film:
            writer.append_data(picture)
