"""A replay viewer as one HTML file: it reads ``.slp`` in the browser and needs nothing from anywhere.

``page.py`` puts the file together, ``tables.py`` hands the project's own tables (event layouts, names, stages,
hitboxes, poses) to the scripts: ``slp.js`` reads, ``scene.js`` draws, ``player.js`` has the controls.
"""

from melee_env.rendering.viewer.page import write_viewer

__all__ = ["write_viewer"]
