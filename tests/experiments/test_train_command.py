"""What ``melee-env train`` shows."""

import pytest

from experiments.cli.train import show_progress


def test_collapsed_buttons_are_shown_each_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    show_progress(
        {"event": "epoch", "epoch": 0, "accuracy": 0.5, "collapsed": ["A"]}
    )  # untrained: all of them
    show_progress({"event": "epoch", "epoch": 1, "accuracy": 0.5, "collapsed": ["A", "Z"]})
    show_progress({"event": "epoch", "epoch": 2, "accuracy": 0.5, "collapsed": []})
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["epoch:", "epoch:", "COLLAPSE:", "epoch:"]
    assert "A, Z" in lines[2]
