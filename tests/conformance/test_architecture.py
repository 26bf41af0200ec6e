"""The house keeps its shape: imports go one way, and optional libraries stay in their rooms.

Each rule is a function from a source tree to a list of violations. It is run on the project, where the list
must be empty, and on a small broken tree, where it must not.
"""

import ast
import graphlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

import pytest

ROOT = Path(__file__).resolve().parents[2]

# A package may import itself and those before it.
LAYERS = ("melee_env", "demonstrations", "agents", "experiments")

# What every module may import at its top, besides the standard library.
CORE = {"numpy", "numba", "gymnasium"}

# Where else a library may be imported at module level. A library that is not listed, or that has no room,
# is imported inside the functions that need it.
ROOMS: dict[str, tuple[str, ...]] = {
    "altair": ("experiments/dashboard/",),
    "datasets": ("demonstrations/",),
    "enet": ("melee_env/virtual_dolphin/", "melee_env/backends/dolphin/"),
    "huggingface_hub": ("experiments/zoo/",),
    "imitation": ("demonstrations/", "agents/dagger/", "agents/adversarial/"),
    "jinja2": ("experiments/",),
    "llvmlite": ("melee_env/engine/",),
    "marimo": ("experiments/dashboard/",),
    "melee": ("melee_env/backends/dolphin/",),
    "minari": ("demonstrations/",),
    "peppi_py": ("demonstrations/",),
    "pettingzoo": ("melee_env/selfplay.py", "melee_env/envs/selfplay.py", "melee_env/testing/"),
    "pooch": ("experiments/zoo/",),
    "pyarrow": ("demonstrations/",),
    "rich": ("demonstrations/", "agents/", "experiments/"),
    "safetensors": ("agents/",),
    "sb3_contrib": ("agents/ppo/",),
    "scipy": ("experiments/",),
    "stable_baselines3": (
        "melee_env/sb3.py",
        "melee_env/envs/sb3.py",
        "agents/ppo/",
        "agents/dagger/",
        "agents/adversarial/",
    ),
    "torch": ("agents/",),
    "triton": ("agents/kernels/",),
    "typer": ("experiments/",),
    "umi": ("experiments/umi/",),
}

VAGUE_NAMES = {"utils", "helpers", "common"}

# In pieces, so that this file does not contain what it forbids.
MACHINE_PATH = re.compile(rb"(?<![\w.~-])/(?:work|root|farm)" + rb"/")
INDEX_HOST = re.compile(rb"py" + rb"pi\.org|python" + rb"hosted|index" + rb"-url|find" + rb"-links")

Scope = Literal["module", "function", "typing"]


@dataclass(frozen=True)
class Import:
    """One imported name: `importer` and `target` are dotted, `scope` is where the statement stands."""

    importer: str
    target: str
    path: PurePosixPath
    line: int
    scope: Scope

    def __str__(self) -> str:
        return f"{self.path}:{self.line} imports {self.target}"


class ImportVisitor(ast.NodeVisitor):
    """Collects (target, line, scope) of every import in a module of the given package."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.scope: Scope = "module"
        self.found: list[tuple[str, int, Scope]] = []

    def visit_Import(self, node: ast.Import) -> None:
        self.found += [(alias.name, node.lineno, self.scope) for alias in node.names]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        parents = self.package.split(".")
        base = parents[: len(parents) - node.level + 1] if node.level else []
        source = ".".join([*base, *([node.module] if node.module else [])])
        self.found += [(f"{source}.{alias.name}", node.lineno, self.scope) for alias in node.names]

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._visit_in("function", node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_If(self, node: ast.If) -> None:
        for_typing = ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
        self._visit_in("typing" if for_typing else self.scope, node.body)
        self._visit_in(self.scope, node.orelse)

    def _visit_in(self, scope: Scope, body: list[ast.stmt]) -> None:
        outer, self.scope = self.scope, scope
        for statement in body:
            self.visit(statement)
        self.scope = outer


def source_files(root: Path) -> list[PurePosixPath]:
    """Paths of the packages' modules, relative to `root`."""
    found = (path for layer in LAYERS for path in (root / layer).rglob("*.py"))
    return sorted(PurePosixPath(path.relative_to(root)) for path in found)


def module_name(path: PurePosixPath) -> str:
    """`a/b.py` is `a.b`, `a/__init__.py` is `a`."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def read_imports(root: Path) -> Iterator[Import]:
    """Every import in the packages under `root`, with targets that are modules where they can be."""
    files = source_files(root)
    modules = {module_name(path) for path in files}
    for path in files:
        visitor = ImportVisitor(".".join(path.parent.parts))
        visitor.visit(ast.parse((root / path).read_text(encoding="utf-8")))
        for target, line, scope in visitor.found:
            parent = target.rpartition(".")[0]
            resolved = parent if target not in modules and parent in modules else target
            yield Import(module_name(path), resolved, path, line, scope)


def top(name: str) -> str:
    """The top-level package of a dotted name."""
    return name.partition(".")[0]


def back_edges(root: Path) -> list[str]:
    """Imports of a later layer, wherever they stand."""
    rank = {layer: number for number, layer in enumerate(LAYERS)}
    return [str(i) for i in read_imports(root) if rank.get(top(i.target), 0) > rank[top(i.importer)]]


def import_cycles(root: Path) -> list[str]:
    """The first cycle of module-level imports, if there is one."""
    graph: dict[str, set[str]] = {}
    for i in read_imports(root):
        if i.scope == "module" and top(i.target) in LAYERS and i.target != i.importer:
            graph.setdefault(i.importer, set()).add(i.target)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return [" is imported by ".join(error.args[1])]
    return []


def strayed_libraries(root: Path) -> list[str]:
    """Module-level imports of a library outside its room."""
    everywhere = {*sys.stdlib_module_names, *LAYERS, *CORE}
    return [
        str(i)
        for i in read_imports(root)
        if i.scope == "module"
        and top(i.target) not in everywhere
        and not str(i.path).startswith(ROOMS.get(top(i.target), ()))
    ]


def vague_names(root: Path) -> list[str]:
    """Modules and folders whose name does not say what lives there."""
    return [str(path) for path in source_files(root) if VAGUE_NAMES & {*path.with_suffix("").parts}]


RULES = (back_edges, import_cycles, strayed_libraries, vague_names)
Rule = Callable[[Path], list[str]]


@pytest.mark.parametrize("rule", RULES)
def test_project_keeps(rule: Rule) -> None:
    assert rule(ROOT) == []


BROKEN = [
    (back_edges, "melee_env/frame.py", "import demonstrations", "demonstrations"),
    (back_edges, "demonstrations/store.py", "def f():\n    from agents import make", "agents"),
    (back_edges, "agents/base.py", "if TYPE_CHECKING:\n    import experiments.cli", "experiments"),
    (import_cycles, "melee_env/envs/a.py", "from melee_env.envs import b", "melee_env.envs.b"),
    (import_cycles, "melee_env/envs/a.py", "from .b import thing", "melee_env.envs.b"),
    (import_cycles, "melee_env/envs/a.py", "try:\n    from . import b\nexcept ImportError: ...", "envs.b"),
    (strayed_libraries, "melee_env/frame.py", "import torch", "torch"),
    (strayed_libraries, "melee_env/observations/torch_twin.py", "from torch import nn", "torch"),
    (strayed_libraries, "melee_env/envs/a.py", "class A:\n    import stable_baselines3.common", "stable"),
    (strayed_libraries, "agents/bc/train.py", "import peppi_py", "peppi_py"),
    (strayed_libraries, "experiments/cli/play.py", "import pygame, imageio", "imageio"),
    (strayed_libraries, "agents/base.py", "import nobody_has_heard_of_it", "nobody"),
    (vague_names, "agents/utils.py", "", "agents/utils.py"),
    (vague_names, "melee_env/common/frame.py", "", "melee_env/common"),
]


@pytest.mark.parametrize(("rule", "path", "text", "culprit"), BROKEN)
def test_rule_fails_on_broken_tree(rule: Rule, path: str, text: str, culprit: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {"melee_env/envs/b.py": "import melee_env.envs.a", path: text})
    assert any(culprit in violation for violation in rule(tmp_path))


SOUND = [
    ("melee_env/observations/torch_twin.py", "def f():\n    import torch"),
    ("melee_env/frame.py", "if TYPE_CHECKING:\n    import torch"),
    ("melee_env/sb3.py", "from stable_baselines3.common.vec_env import VecEnv"),
    ("agents/networks/gru.py", "import torch.nn\nimport numpy\nfrom demonstrations import store"),
    ("melee_env/envs/a.py", "def f():\n    from . import b"),
    ("melee_env/envs/a.py", "if TYPE_CHECKING:\n    from . import b"),
]


@pytest.mark.parametrize(("path", "text"), SOUND)
def test_rules_pass_on_sound_tree(path: str, text: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {"melee_env/envs/b.py": "import melee_env.envs.a", path: text})
    assert [violation for rule in RULES for violation in rule(tmp_path)] == []


def write_tree(root: Path, files: dict[str, str]) -> None:
    """Writes `files` (path to text) under `root`, with empty modules for the names that they import."""
    for path, text in {"melee_env/envs/a.py": "", "demonstrations/store.py": "", **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def tracked_files() -> list[Path]:
    """What git tracks and the disk holds."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listing.stdout.split("\0") if (ROOT / name).is_file()]


@pytest.mark.parametrize("pattern", [MACHINE_PATH, INDEX_HOST], ids=["machine path", "index host"])
def test_no_tracked_file_contains(pattern: re.Pattern[bytes]) -> None:
    assert [file for file in tracked_files() if pattern.search(file.read_bytes())] == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (MACHINE_PATH, b"open('/ro" + b"ot/replays')"),
        (MACHINE_PATH, b"cd /wo" + b"rk/main"),
        (INDEX_HOST, b"https://py" + b"pi.org/simple"),
    ],
)
def test_forbidden_text_is_found(pattern: re.Pattern[bytes], text: bytes) -> None:
    assert pattern.search(text)
