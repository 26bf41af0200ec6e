"""``melee-env diff-streams``: two recordings of the same inputs, field by field."""

from __future__ import annotations

from pathlib import Path

import typer

from experiments.cli.console import JSON_OPTION, save_json, say, table


def diff_streams(
    first: str = typer.Argument(
        ..., metavar="A", help="A .slp replay, a trace (.npz), or libmelee:FILE.slp."
    ),
    second: str = typer.Argument(..., metavar="B", help="The same."),
    rows: int = typer.Option(40, min=1, help="Rows of a table that are printed; --json holds all."),
    json: Path = JSON_OPTION,
) -> None:
    """Compare two recordings or traces of the same inputs: which fields differ, and action_frame per action.

    libmelee:FILE.slp is what libmelee makes of a file: it counts some actions from 1.
    """
    from experiments.streams.compare import compare_streams
    from experiments.streams.sources import load_stream

    result = compare_streams(load_stream(first), load_stream(second))
    save_json(json, {"first": first, "second": second, **result})
    say(
        f"{result['frames']} shared frames (only in A: {result['only_first']}, only in B: {result['only_second']}), "
        f"{result['compared_fields']} fields"
    )
    at = result["first_input_difference"]
    say("inputs are the same" if at is None else f"inputs differ from frame {at}: what follows is bound to")
    if result["fields"]:
        shown = result["fields"][:rows]
        table([[_text(value) for value in row.values()] for row in shown], list(shown[0]))
    uneven = [row for row in result["actions"] if row["action_frame"] != 0]
    say(f"action_frame: {len(result['actions']) - len(uneven)} of {len(result['actions'])} actions the same")
    if uneven:
        shown = uneven[:rows]
        table([[_text(value) for value in row.values()] for row in shown], list(shown[0]))
    say("equal" if result["equal"] else "different")


def _text(value: object) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
