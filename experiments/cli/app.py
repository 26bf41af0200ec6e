"""Puts the commands together and turns errors into one line and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

import typer

from experiments.cli import (
    bench,
    data,
    diff_streams,
    doctor,
    drill,
    evaluate,
    fidelity,
    league,
    listings,
    play,
    quickstart,
    report,
    train,
    umi,
    view,
    warmup,
)

EXIT_FAILED, EXIT_WRONG_CALL, EXIT_INTERRUPTED = 1, 2, 130

app = typer.Typer(
    name="melee-env",
    help="Super Smash Bros. Melee as environments: record, train, evaluate, play.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("quickstart")(quickstart.quickstart)
app.command("train", context_settings={"ignore_unknown_options": False})(train.train)
app.command("eval")(evaluate.evaluate)
app.command("league")(league.league)
app.command("drill")(drill.drill)
app.command("fidelity")(fidelity.fidelity)
app.command("play")(play.play)
app.command("diff-streams")(diff_streams.diff_streams)
app.command("view")(view.view)
app.command("report")(report.report)
app.command("warmup")(warmup.warmup)
app.command("doctor")(doctor.doctor)
app.add_typer(data.app, name="data")
app.add_typer(bench.app, name="bench")
app.add_typer(umi.app, name="umi")
app.add_typer(listings.agents_app, name="agents")
app.add_typer(listings.envs_app, name="envs")


@app.callback()
def options(
    debug: bool = typer.Option(
        False, "--debug", help="Show the traceback of an error (works behind a command too)."
    ),
) -> None:
    """Super Smash Bros. Melee as environments: record, train, evaluate, play."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit: 0 done, 1 failed, 2 wrong call, 130 interrupted."""
    # Threads that wait for each other without sleeping make small networks many times slower on a busy machine.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    try:
        code = app(words, standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe has seen enough
        sys.stderr.close()
        sys.exit(EXIT_FAILED)
    except Exception as error:
        if debug:
            traceback.print_exc()
        code, message = explain(error)
        print(f"error: {message}", file=sys.stderr)
    if code == EXIT_INTERRUPTED:
        print("interrupted", file=sys.stderr)
    sys.exit(code if isinstance(code, int) else 0)


def explain(error: Exception) -> tuple[int, str]:
    """Return the exit code and the one line that belong to an error."""
    if hasattr(error, "format_message"):  # the command line's own usage errors
        message = " ".join(str(error.format_message()).split())
        return int(getattr(error, "exit_code", EXIT_WRONG_CALL)), f"{message}; see --help"
    from melee_env.errors import MeleeEnvError, OptionError

    message = " ".join(str(error).split())
    if isinstance(error, OptionError):
        return EXIT_WRONG_CALL, message
    if isinstance(error, MeleeEnvError):
        return EXIT_FAILED, message
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return EXIT_FAILED, f"{place}{error.strerror or message}"
    return EXIT_FAILED, f"{type(error).__name__}: {message} (--debug shows where)"
