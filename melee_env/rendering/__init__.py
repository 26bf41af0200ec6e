"""Pictures of a frame: a software drawing for ``rgb_array``, a window for ``human``, GIF and MP4 files.

Everything reads :data:`~melee_env.frame.FRAME_DTYPE` only, so live games, recordings and other backends look the
same. Nothing here changes a game; pygame and imageio are imported when the first picture is asked for.
"""

from melee_env.rendering.camera import View, follow
from melee_env.rendering.recording import write_video
from melee_env.rendering.scene import render_frame
from melee_env.rendering.window import Window

__all__ = ["View", "Window", "follow", "render_frame", "write_video"]
