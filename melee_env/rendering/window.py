"""A window that shows frames at the game's speed and reads keys; works with SDL's dummy video driver."""

from __future__ import annotations

from types import ModuleType, TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from melee_env.frame import Frames
from melee_env.rendering.camera import View, follow
from melee_env.rendering.canvas import load_pygame
from melee_env.rendering.scene import render_frame


class Window:
    """Shows one game.

    Args:
        width: pixels.
        height: pixels.
        fps: pictures a second to keep to; 0 does not wait.
        title: text in the window's frame.
    """

    def __init__(self, width: int = 640, height: int = 480, fps: int = 60, title: str = "melee_env") -> None:
        self._pygame: ModuleType = load_pygame()
        self.width, self.height, self.fps = width, height, fps
        self._view: View | None = None
        self._pygame.display.init()
        self._screen: Any = self._pygame.display.set_mode((width, height))
        self._pygame.display.set_caption(title)
        self._clock = self._pygame.time.Clock()

    @property
    def is_open(self) -> bool:
        """Whether the window is still there."""
        return self._screen is not None

    def show(self, frame: Frames) -> bool:
        """Draw one frame and wait for its time.

        Returns:
            False once the user has closed the window (or it was closed by :meth:`close`).
        """
        if not self.is_open:
            return False
        record = np.asarray(frame).reshape(-1)[0]
        target = follow(record, self.width, self.height)
        self._view = target if self._view is None else self._view.towards(target)
        self._blit(render_frame(record, self.width, self.height, self._view))
        for event in self._pygame.event.get():
            if event.type == self._pygame.QUIT:
                self.close()
                return False
        if self.fps:
            self._clock.tick(self.fps)
        return True

    def pressed_keys(self) -> frozenset[str]:
        """Return the names of the keys that are held (``"left"``, ``"a"``, …)."""
        if not self.is_open:
            return frozenset()
        held = self._pygame.key.get_pressed()
        return frozenset(
            name
            for name in (self._pygame.key.name(code) for code in _key_codes(self._pygame) if held[code])
            if name
        )

    def close(self) -> None:
        """Close the window; calling it twice is fine."""
        if self._screen is not None:
            self._screen = None
            self._pygame.display.quit()

    def __enter__(self) -> Window:
        """Return the window."""
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the window."""
        self.close()

    def _blit(self, picture: NDArray[np.uint8]) -> None:
        surface = self._pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        self._screen.blit(surface, (0, 0))
        self._pygame.display.flip()


def _key_codes(pygame: ModuleType) -> list[int]:
    names = "abcdefghijklmnopqrstuvwxyz1234567890"
    arrows = [pygame.K_LEFT, pygame.K_RIGHT, pygame.K_UP, pygame.K_DOWN, pygame.K_SPACE, pygame.K_RETURN]
    arrows += [pygame.K_LSHIFT, pygame.K_RSHIFT, pygame.K_ESCAPE, pygame.K_SEMICOLON]
    return [pygame.key.key_code(name) for name in names] + arrows
