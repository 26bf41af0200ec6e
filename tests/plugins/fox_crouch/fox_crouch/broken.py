"""A plug-in that cannot be loaded."""

raise RuntimeError("this plug-in is broken on purpose")
