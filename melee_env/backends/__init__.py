"""Where frames come from: the embedded engine, recorded games, the emulator.

All speak the batched protocol in :mod:`melee_env.backends.base`; nothing outside this folder may ask
which one it is talking to.
"""
