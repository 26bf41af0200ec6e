"""Reference pages made from the code: one per id, and one of the frame schema.

``python -m melee_env.envs.documentation docs`` writes them; a test fails when they are stale.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from gymnasium.envs.registration import load_env_creator

from melee_env.actions import ActionSwitches, codec_names, make_codec
from melee_env.actions.multidiscrete import HEADS, NVEC
from melee_env.envs.options import DEFAULTS, MEANINGS
from melee_env.envs.registry import ENTRIES, Entry
from melee_env.envs.versus import VersusEnv
from melee_env.frame import SCHEMA_VERSION, frame_field_table, schema_hash
from melee_env.ids import Character, Stage
from melee_env.observations import Switches, encoder_names, make_encoder
from melee_env.opponents import opponent_names
from melee_env.rewards import TERMS

MADE_BY = "This page is made by `python -m melee_env.envs.documentation docs`."


def pages() -> dict[str, str]:
    """Return every page by its path below the documentation folder."""
    out = {f"envs/{short_name(entry)}.md": env_page(entry) for entry in ENTRIES}
    out["frame.md"] = frame_page()
    return out


def short_name(entry: Entry) -> str:
    """Return an id without its namespace and version, in lower case."""
    return entry.env_id.partition("/")[2].rpartition("-v")[0].lower()


def env_page(entry: Entry) -> str:
    """Return the page of one id."""
    env_type: type[VersusEnv] = load_env_creator(entry.single)  # type: ignore[assignment]
    task = env_type.task_type
    sections = [
        f"# {entry.env_id}",
        f"{entry.summary[0].upper()}{entry.summary[1:]}. {MADE_BY}",
        f"```text\n{_spec(env_type)}\n```",
        "## Arguments\n\n" + table(("argument", "default"), _arguments(env_type)),
        "## Observation\n\n" + _observations(),
        "## Action\n\n" + _actions(),
        "## Reward\n\n" + _rewards(task),
        "## Episode options\n\nArguments of `gym.make` or of `reset(options=…)`.\n\n"
        + _options(task.defaults),
        f"## Opponents\n\nDefault `{task.opponent}`. Known: {names(opponent_names())}; "
        "`replay:game.slp` (recorded inputs; `#1` behind it for the higher port), an agent's name or checkpoint folder "
        "where `agents` is installed, or an object with `reset` and `act`.",
    ]
    return "\n\n".join(sections) + "\n"


def _arguments(env_type: type[VersusEnv]) -> Iterable[tuple[str, str]]:
    task = env_type.task_type
    own = {
        "opponent": f"`{task.opponent!r}`",
        "frame_skip": f"`{task.frame_skip}`",
        "reward": "the drill's own" if "rewards" in vars(task) else f"`{task.reward!r}`",
    }
    for name, parameter in inspect.signature(env_type.__init__).parameters.items():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            yield f"`{name}`", own.get(name, f"`{parameter.default!r}`")


def _observations() -> str:
    parts = []
    for name in encoder_names():
        encoder = make_encoder(name)
        rows = []
        at = 0
        for group, members in groupby(encoder.names, key=_group):
            labels = list(members)
            high = encoder.space.high[at : at + len(labels)]  # type: ignore[attr-defined]
            limits = f"±{high.min():g}" if high.min() == high.max() else f"±{high.min():g} … ±{high.max():g}"
            rows.append((f"{at}–{at + len(labels) - 1}", group, _abridged(labels, group), limits))
            at += len(labels)
        parts.append(
            f"`{name}`: `Box [{encoder.size}] float32`, schema `{encoder.schema_hash}`.\n\n"
            + table(("index", "group", "numbers", "limits"), rows)
        )
    parts.append(
        "Switches go behind a preset's name, as in `full:previous=4,delay=on`; defaults are those of `compact`:\n\n"
        + _switches(Switches)
    )
    return "\n\n".join(parts)


def _group(name: str) -> str:
    """Return the heading that a number of an observation belongs under."""
    head, _, tail = name.rpartition(".")
    if head.endswith((".action", ".character")) or head == "stage":
        return head
    if head in ("own", "opponent") and tail == "edge":
        return "geometry and clock"
    return head or "geometry and clock"


def _abridged(labels: Sequence[str], group: str) -> str:
    short = [label.removeprefix(f"{group}.") for label in labels]
    if len(short) <= 40 and not group.endswith((".action", ".character")):
        return ", ".join(f"`{label}`" for label in short)
    what = "action state or range of states" if group.endswith(".action") else "internal character id"
    return f"one-hot by {what}: `{short[0]}`, `{short[1]}` … `{short[-1]}`"


def _actions() -> str:
    heads = ", ".join(f"{head} {size}" for head, size in zip(HEADS, NVEC, strict=True))
    rows = []
    for name in codec_names():
        codec = make_codec(name)
        rows.append((f"`{name}`", f"`{type(codec.space).__name__}`", _first_line(type(codec))))
    return (
        table(("codec", "space", "meaning"), rows)
        + f"\n\nHeads of `multidiscrete`, with their sizes: {heads}.\n\n"
        "Switches go behind a codec's name, as in `multidiscrete:clean=on,edges=on` or `box:hysteresis=0.2`:\n\n"
        + _switches(ActionSwitches)
    )


def _switches(kind: type[Any]) -> str:
    """Return the table of a dataclass of switches, from the sentences below its fields."""
    rows = []
    body = ast.parse(inspect.getsource(kind)).body[0].body  # type: ignore[attr-defined]
    for line, below in pairwise(body):
        if isinstance(line, ast.AnnAssign) and isinstance(below, ast.Expr):
            default = ast.literal_eval(line.value)  # type: ignore[arg-type]
            shown = {True: "on", False: "off"}[default] if isinstance(default, bool) else default
            meaning = " ".join(ast.literal_eval(below.value).split()).replace("``", "`")
            rows.append((f"`{line.target.id}`", f"`{shown}`", meaning))  # type: ignore[union-attr]
    return table(("switch", "default", "meaning"), rows)


def _rewards(task: type[Any]) -> str:
    rows = [(f"`{term.name}`", "yes" if term.zero_sum else "no", term.meaning) for term in TERMS.values()]
    text = table(("term", "zero-sum", "meaning"), rows)
    if "rewards" in vars(task):
        return "The drill's own reward is described above; a preset of these terms replaces it.\n\n" + text
    return f"Default `{task.reward}`; weights as in `damage*0.5+win`.\n\n" + text


def _options(changed: dict[str, Any]) -> str:
    values = {**DEFAULTS, **changed}
    return table(
        ("option", "default", "meaning"),
        [(f"`{name}`", f"`{values[name]!r}`", MEANINGS[name]) for name in DEFAULTS],
    ) + (
        f"\n\nCharacters: {names(c.name for c in Character if c is not Character.NANA)}."
        f"\n\nStages: {names(stage.name for stage in Stage)}."
    )


def frame_page() -> str:
    """Return the page of the frame schema."""
    rows = [
        (f"`{path}`", _type(field.dtype), field.unit, field.source, field.meaning)
        for path, field in frame_field_table()
    ]
    return (
        f"# The frame\n\nOne NumPy structured dtype holds the whole visible game: `melee_env.frame.FRAME_DTYPE`, "
        f"version {SCHEMA_VERSION}, schema `{schema_hash()}`. {MADE_BY}\n\n"
        "`seats` has two entries (an agent sees itself first), `items` fifteen. Sources are byte offsets of Slippi's "
        "events.\n\n" + table(("field", "type", "unit", "source", "meaning"), rows) + "\n"
    )


def _type(dtype: Any) -> str:
    if isinstance(dtype, tuple):
        return f"{dtype[0]}[{dtype[1][0]}]"
    return dtype if isinstance(dtype, str) else "record"


def _spec(env_type: type[VersusEnv]) -> str:
    """Return the class docstring, with cross references as plain names."""
    return re.sub(r":\w+:`~?([^`]+)`", r"\1", inspect.cleandoc(env_type.__doc__ or ""))


def _first_line(thing: object) -> str:
    return inspect.cleandoc(thing.__doc__ or "").partition("\n")[0].replace("``", "`")


def names(items: Iterable[str]) -> str:
    """Return a listing in code letters."""
    return ", ".join(f"`{item}`" for item in items)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def write(folder: str | Path) -> list[Path]:
    """Write every page below ``folder`` and return their paths."""
    written = []
    for name, text in pages().items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


if __name__ == "__main__":
    for page in write(sys.argv[1] if len(sys.argv) > 1 else "docs"):
        print(page)
