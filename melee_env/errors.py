"""Typed errors of the project. Each message is one line that says what to do."""

from __future__ import annotations


class MeleeEnvError(Exception):
    """Base of every error that a user can meet."""


class OptionError(MeleeEnvError, ValueError):
    """An option has an unknown key, a wrong type or an impossible value."""


class MissingExtra(MeleeEnvError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        """Name the missing ``package`` and the ``extra`` of the distribution that brings it."""
        super().__init__(f"{package} is not installed; run: pip install 'melee-env-suite[{extra}]'")
        self.package = package
        self.extra = extra


class ReplayError(MeleeEnvError):
    """A replay cannot be read (or only in part).

    Attributes:
        reason: a stable code such as ``not_slp``, ``bad_payload_table``, ``no_frames``.
        path: the file.
        offset: byte offset of the fault, or None.
        detail: the reason in words, without the file.
    """

    def __init__(self, reason: str, path: object = "", offset: int | None = None, detail: str = "") -> None:
        """Build the one-line message from its parts."""
        place = "" if offset is None else f" at byte {offset}"
        super().__init__(f"{path}: {reason}{place}" + (f" ({detail})" if detail else ""))
        self.reason = reason
        self.path = str(path)
        self.offset = offset
        self.detail = detail + place


class CheckpointError(MeleeEnvError):
    """A checkpoint is damaged, incomplete or made for something else."""


class BackendError(MeleeEnvError):
    """A backend failed."""


class DolphinExited(BackendError):
    """The emulator ended by itself."""


class PipeTimeout(BackendError):
    """The emulator did not open or read its controller pipe in time."""


class NoProgress(BackendError):
    """The emulator sent no new frame in time."""


class MenuStuck(BackendError):
    """The menus did not reach a game in time."""


class StateVersionError(MeleeEnvError):
    """A saved state belongs to another version of the engine or environment."""
