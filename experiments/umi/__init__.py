"""The Universal Melee Interface (UMI, package ``umi-melee``): our agents as its bots, our engine as its arena.

``layout.py`` turns frames and controllers into UMI's and back, ``bot.py`` serves an agent, ``arena.py`` lets bots
and agents play each other. Imported only where it is used: it needs the extra ``umi``.
"""
