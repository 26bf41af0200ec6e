"""The environment is the one that the lock describes, and its conflicts are the known ones."""

import importlib
import importlib.metadata
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("melee_env", "demonstrations", "agents", "experiments")

# imitation 1.0.1 is the newest; it runs on the current stack, which its pins exclude.
KNOWN_CONFLICTS = {
    "imitation 1.0.1 has requirement gymnasium[classic-control]~=0.29",
    "imitation 1.0.1 has requirement stable-baselines3~=2.2.1",
}
NOT_IN_LOCK = {"ray"}  # the extra `scale` is installed by whoever wants it

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
DECLARED = [Requirement(line) for line in [*PROJECT["dependencies"], *sum(EXTRAS.values(), [])]]


def read_pins() -> dict[str, Version]:
    """The version of each distribution in the lock, by canonical name."""
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {canonicalize_name(name): Version(version) for name, version in pairs}


PINS = read_pins()


def installed_version(name: str) -> Version:
    """What is installed, without the label of a local build such as `+cpu`."""
    return Version(Version(importlib.metadata.version(name)).public)


def test_pip_check_reports_the_known_conflicts_and_no_other() -> None:
    report = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)
    conflicts = {line.split(", but you have")[0] for line in report.stdout.splitlines()}
    assert conflicts == KNOWN_CONFLICTS


def test_installed_versions_are_the_pinned_ones() -> None:
    assert {name: installed_version(name) for name in PINS} == PINS


@pytest.mark.parametrize("requirement", DECLARED, ids=str)
def test_lock_satisfies_declared_dependency(requirement: Requirement) -> None:
    name = canonicalize_name(requirement.name)
    if name in NOT_IN_LOCK:
        pytest.skip(f"{name} is optional and not part of the lock")
    assert requirement.specifier.contains(PINS[name])


def test_imitation_extra_declares_what_imitation_needs() -> None:
    needs = [Requirement(line) for line in importlib.metadata.requires("imitation") or []]
    needed = {canonicalize_name(need.name) for need in needs if need.marker is None}
    extra = [Requirement(line) for line in [*PROJECT["dependencies"], *EXTRAS["imitation"]]]
    assert needed - {canonicalize_name(requirement.name) for requirement in extra} == set()


@pytest.mark.parametrize(
    "module",
    [
        "datasets",
        "huggingface_sb3",
        "sacred",
        "seals",
        "sklearn",
        "torch.utils.tensorboard",
        "imitation.algorithms.adversarial.airl",
        "imitation.algorithms.adversarial.gail",
        "imitation.algorithms.bc",
        "imitation.algorithms.dagger",
        "imitation.data.rollout",
        "imitation.data.serialize",
    ],
)
def test_imitation_and_its_needs_import(module: str) -> None:
    assert importlib.import_module(module)


@pytest.mark.parametrize("package", PACKAGES)
def test_top_level_package_is_ours(package: str) -> None:
    file = importlib.import_module(package).__file__
    assert file is not None
    assert Path(file).resolve() == ROOT / package / "__init__.py", f"{package} came from {file}"


def test_command_line_is_installed_with_the_package() -> None:
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="melee-env")
    assert script.value == "experiments.cli:main"
