"""Games on Slippi Dolphin, through libmelee (the ``dolphin`` extra), or on the virtual Dolphin.

What lives here: starting and stopping the emulator, its menus, its controllers, its stream of frames. What does
not: anything that knows which emulator it is.
"""

from melee_env.errors import MissingExtra

try:
    import melee  # noqa: F401
except ImportError as error:
    raise MissingExtra("melee", "dolphin") from error
