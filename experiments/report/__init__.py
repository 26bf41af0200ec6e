"""One self-contained HTML page about a checkpoint: no script, no link, every picture inside."""

from experiments.report.page import write_report

__all__ = ["write_report"]
