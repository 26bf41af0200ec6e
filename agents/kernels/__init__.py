"""Scans: recurrences over the frames of a window, behind one dispatch point.

Networks call the four functions of :mod:`agents.kernels.dispatch` and never an implementation.
"""

from agents.kernels.dispatch import delta_scan, force, linear_scan, matrix_scan, selective_scan

__all__ = ["delta_scan", "force", "linear_scan", "matrix_scan", "selective_scan"]
