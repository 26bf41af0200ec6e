"""K43: a package installed by pip brings an agent and a backbone; a broken plug-in is named and skipped."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "plugins" / "fox_crouch"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the package in it, as pip installs it."""
    import shutil

    source = tmp_path_factory.mktemp("source") / "fox_crouch"
    shutil.copytree(PACKAGE, source)  # building leaves files behind
    target = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
    ]
    subprocess.run([*command, "--target", str(target), str(source)], check=True, timeout=120)
    return target


def run(site: Path, program: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )


def test_k43_installed_agent_appears_and_plays(site: Path) -> None:
    result = run(
        site,
        "import agents; from melee_env.frame import empty_frames\n"
        "agent = agents.make('crouch'); agent.reset(2)\n"
        "print('crouch' in agents.names(), agent.act(empty_frames(2))['stick_y'].tolist())",
    )
    assert result.stdout.strip() == "True [-1.0, -1.0]"


def test_k43_installed_agent_is_listed_evaluated_and_benchmarked_by_name(site: Path, tmp_path: Path) -> None:
    level3 = {
        "env": "melee_env/Versus-v0",
        "measure": "win_rate",
        "expert": "scripted:fighter-9",
        "games": 2,
        "env_options": {"opponent": "scripted:idle", "time_limit": 120},
    }
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"environments": {"level3": level3}, "algorithms": {"crouch": {}}}))
    listed, evaluated, compared = (str(tmp_path / f"{name}.json") for name in ("list", "eval", "bench"))
    commands = [
        ["agents", "list", "--json", listed],
        [
            "eval",
            "crouch",
            "--games",
            "2",
            "--seconds",
            "2",
            "--opponent",
            "scripted:idle",
            "--json",
            evaluated,
        ],
        [
            "bench",
            "algorithms",
            "--config",
            str(plan),
            "--seeds",
            "2",
            "--out",
            str(tmp_path),
            "--json",
            compared,
        ],
    ]
    run(
        site,
        "from experiments.cli.app import app\n"
        "if __name__ == '__main__':\n"
        f"    for words in {commands!r}:\n"
        "        app(words, standalone_mode=False)\n",
    )
    assert "crouch" in [row["name"] for row in json.loads(Path(listed).read_text())["agents"]]
    result = json.loads(Path(evaluated).read_text())
    assert (result["agent"], result["win_rate"]["mean"]) == ("crouch", 0.5)  # nobody does anything
    (row,) = json.loads(Path(compared).read_text())["rows"]
    assert (row["algorithm"], row["environment"], row["seeds"]) == ("crouch", "level3", 2)


def test_k43_broken_plug_in_is_named_and_never_fatal(site: Path) -> None:
    result = run(site, "import agents; print(agents.names())")
    assert "crouch_broken" not in result.stdout and "'bc'" in result.stdout
    assert "crouch_broken" in result.stderr and "fox-crouch" in result.stderr
    assert "broken on purpose" in result.stderr


def test_k43_installed_backbone_trains_loads_and_keeps_the_rules(site: Path, tmp_path: Path) -> None:
    result = run(
        site,
        "import agents; from agents.testing import check_backbone, toy_trajectories\n"
        "from agents.networks.backbone import make_backbone\n"
        "from melee_env.observations import make_encoder\n"
        "check_backbone(make_backbone('running_mean', 5), 5)\n"
        "games = toy_trajectories(3, 64, make_encoder('compact').space.shape[-1])\n"
        f"out = {str(tmp_path / 'bc')!r}\n"
        "agents.train('bc', demonstrations=games, out=out, network='running_mean', epochs=1)\n"
        "print(agents.load(out).policy.config.network)",
    )
    assert result.stdout.strip() == "running_mean"


def test_k43_checkpoint_of_a_missing_plug_in_says_so(site: Path, tmp_path: Path) -> None:
    """Where the package is not installed, loading names the network that is missing."""
    out = tmp_path / "bc"
    run(
        site,
        "import agents; from agents.testing import toy_trajectories\n"
        "from melee_env.observations import make_encoder\n"
        "games = toy_trajectories(3, 64, make_encoder('compact').space.shape[-1])\n"
        f"agents.train('bc', demonstrations=games, out={str(out)!r}, network='running_mean', epochs=0)",
    )
    import agents
    from melee_env.errors import CheckpointError

    with pytest.raises(CheckpointError, match="running_mean"):
        agents.load(out)
