"""A program that libmelee starts and talks to as if it were Slippi Dolphin, with the embedded engine inside.

What lives here: the command, the ini files, controller pipes, the spectator server, menus and matches. What does
not: anything of the ``dolphin`` backend, which treats this program like the real one.
"""
