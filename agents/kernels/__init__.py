"""Scans: recurrences over the frames of a window, behind one dispatch point.

Networks call the functions of :mod:`agents.kernels.dispatch`, and in play, where it says so, a compiled cell.
"""

from agents.kernels.cells import mamba_cell
from agents.kernels.dispatch import delta_scan, force, is_played, linear_scan, matrix_scan, selective_scan

__all__ = [
    "delta_scan",
    "force",
    "is_played",
    "linear_scan",
    "mamba_cell",
    "matrix_scan",
    "selective_scan",
]
