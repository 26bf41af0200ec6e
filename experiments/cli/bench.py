"""``melee-env bench``: figures with machine, versions and spread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from experiments.cli.console import JSON_OPTION, SEED_OPTION, progress, save_json, say, table

app = typer.Typer(help="Measure speed; every figure is a median of repeated runs.", no_args_is_help=True)
REPEATS_OPTION = typer.Option(5, min=1, help="Runs per figure.")
BACKBONE_OPTION = typer.Option(None, help="Only this backbone; repeatable (default: all).")


@app.command()
def engine(
    games: int = typer.Option(256, min=1, help="Games that advance together."),
    frames: int = typer.Option(600, min=1, help="Frames per run."),
    repeats: int = REPEATS_OPTION,
    seed: int = SEED_OPTION,
    json: Path = JSON_OPTION,
) -> None:
    """Frames per second of the embedded engine, random inputs; two fighters by one frame = 1.

    Fox against Falco, Fox against himself, all pairs; two threads with a half of the games each; saving and loading.
    """
    from experiments.benchmarks.engine import bench_engine

    _show(bench_engine(games=games, frames=frames, repeats=repeats, seed=seed), json)


@app.command()
def env(
    num_envs: int = typer.Option(512, min=1, help="Lanes of the native vector environments."),
    steps: int = typer.Option(200, min=1, help="Steps per run."),
    path: list[str] = typer.Option(
        None, help="single, sync, async, vector, sb3, sb3_dummy or sb3_subproc; repeatable (default: all)."
    ),
    observation: list[str] = typer.Option(None, help="Observation preset; repeatable (default: all)."),
    action: list[str] = typer.Option(None, help="Action codec; repeatable (default: all)."),
    backend: str = typer.Option(
        "embedded", help="embedded, or dolphin: frames over libmelee on the virtual Dolphin."
    ),
    repeats: int = REPEATS_OPTION,
    seed: int = SEED_OPTION,
    json: Path = JSON_OPTION,
) -> None:
    """Steps per second of Versus-v0 by path, observation and action, with the shares of engine, opponent and layer.

    A row is one way to step (native vector and VecEnv; Gymnasium's and Stable-Baselines3's own of single
    environments), one observation and one action. What is neither engine nor opponent is the layer.
    """
    if backend == "dolphin":
        from experiments.benchmarks.dolphin import bench_dolphin

        _show(bench_dolphin(steps=steps, repeats=repeats, seed=seed), json)
        return
    if backend != "embedded":
        from melee_env.errors import OptionError

        raise OptionError(f"--backend must be embedded or dolphin, not {backend!r}")
    from experiments.benchmarks.environments import bench_environments

    with progress("rows") as update:
        result = bench_environments(
            num_envs=num_envs,
            steps=steps,
            repeats=repeats,
            seed=seed,
            paths=path or (),
            observations=observation or (),
            actions=action or (),
            progress=update,
        )
    _show(result, json)


@app.command("dolphin-cycles")
def dolphin_cycles(
    count: int = typer.Option(200, min=1, help="Starts and stops."),
    json: Path = JSON_OPTION,
) -> None:
    """Start and stop the virtual Dolphin; exit code 1 if a process, directory, port or descriptor is left behind."""
    from experiments.benchmarks.dolphin_cycles import bench_dolphin_cycles, left

    result = bench_dolphin_cycles(count)
    _show(result, json)
    if left(result):
        raise typer.Exit(1)


@app.command()
def soak(
    steps: int = typer.Option(
        1_000_000, min=1000, help="Steps of all lanes of the vector environment together."
    ),
    single_steps: int = typer.Option(100_000, min=10, help="Steps of a single environment."),
    cycles: int = typer.Option(10_000, min=10, help="Environments that are made, reset and closed."),
    num_envs: int = typer.Option(64, min=1, help="Lanes."),
    seed: int = SEED_OPTION,
    json: Path = JSON_OPTION,
) -> None:
    """Memory and file handles that a million steps and ten thousand environments leave behind."""
    from experiments.benchmarks.soak import soak_environments

    _show(
        soak_environments(
            steps=steps, single_steps=single_steps, cycles=cycles, num_envs=num_envs, seed=seed
        ),
        json,
    )


@app.command()
def drills(
    drill: list[str] = typer.Option(None, help="Drill, such as Recovery; repeatable (default: all)."),
    episodes: int = typer.Option(200, min=2, help="Episodes per player and lesson."),
    seed: int = SEED_OPTION,
    json: Path = JSON_OPTION,
) -> None:
    """Success rates of random play, of the level-9 fighter and of the teacher in every lesson of the curriculum."""
    from experiments.benchmarks.drills import bench_drills

    with progress("rows") as update:
        result = bench_drills(drills=drill or (), episodes=episodes, seed=seed, progress=update)
    _show(result, json)


@app.command()
def policy(
    backbone: list[str] = BACKBONE_OPTION,
    steps: int = typer.Option(300, min=10, help="Timed steps per row."),
    seed: int = SEED_OPTION,
    json: Path = JSON_OPTION,
) -> None:
    """Latency of an agent with every backbone on one thread, from frame to controller."""
    from experiments.benchmarks.policies import bench_policies

    _show(bench_policies(steps=steps, seed=seed, backbones=backbone or ()), json)


@app.command()
def training(
    backbone: list[str] = BACKBONE_OPTION,
    hidden_size: int = typer.Option(256, min=1, help="Width of every network."),
    num_layers: int = typer.Option(2, min=1, help="Layers of every network."),
    batch: int = typer.Option(64, min=1, help="Sequences."),
    window: int = typer.Option(60, min=1, help="Frames of a sequence."),
    repeats: int = REPEATS_OPTION,
    seed: int = SEED_OPTION,
    json: Path = JSON_OPTION,
) -> None:
    """Milliseconds of one cloning update by backbone, on one thread, beside torch.nn.LSTM's."""
    from experiments.benchmarks.policies import bench_training

    _show(
        bench_training(
            repeats=repeats,
            seed=seed,
            hidden_size=hidden_size,
            num_layers=num_layers,
            batch=batch,
            window=window,
            backbones=backbone or (),
        ),
        json,
    )


@app.command()
def networks(
    training: Path = typer.Option(..., exists=True, help="Replays to clone."),
    validation: Path = typer.Option(..., exists=True, help="Replays to measure on."),
    backbone: list[str] = typer.Option(None, help="Only this backbone; repeatable (default: seven of them)."),
    parameters: int = typer.Option(300_000, min=20_000, help="Parameters of every policy."),
    epochs: int = typer.Option(10, min=1, help="Passes over the training frames."),
    validation_frames: int = typer.Option(1800, min=60, help="First frames of a game that are measured."),
    seeds: int = typer.Option(1, min=1, help="Runs per backbone: seeds 0, 1, …"),
    json: Path = JSON_OPTION,
) -> None:
    """Clone the same games with several backbones of equal size; an existing --json file is completed."""
    from json import loads

    from experiments.benchmarks.networks import BACKBONES, compare_networks, markdown
    from experiments.provenance import command, machine

    def keep(result: dict[str, Any]) -> None:
        row = result["rows"][-1]
        say(
            f"{row['backbone']}, seed {row['seed']}: loss {row['loss']:.3f}, button F1 {row['button_f1']:.3f}, "
            f"main stick {row['stick_accuracy']:.3f}, collapsed: {', '.join(row['collapsed']) or 'none'}"
        )
        save_json(json, result)

    result = compare_networks(
        training,
        validation,
        backbones=backbone or BACKBONES,
        parameters=parameters,
        epochs=epochs,
        validation_frames=validation_frames,
        seeds=range(seeds),
        done=loads(json.read_text(encoding="utf-8")) if json is not None and json.exists() else None,
        report=keep,
    )
    save_json(json, {**result, "command": command(), "machine": machine()})
    print(markdown(result))


@app.command()
def data(
    replays: Path = typer.Option(
        None, exists=True, help="Replay files to read (default: recorded for the purpose)."
    ),
    train_frames: int = typer.Option(
        0, min=0, help="Also train one epoch on a store of so many frames (250 bytes each, on disk)."
    ),
    repeats: int = REPEATS_OPTION,
    seed: int = SEED_OPTION,
    json: Path = JSON_OPTION,
) -> None:
    """Frames per second from replays to training tensors and out of the store; files per second of the scan."""
    from experiments.benchmarks.data import bench_data

    _show(bench_data(replays=replays, train_frames=train_frames, repeats=repeats, seed=seed), json)


@app.command()
def ladder(
    character: list[str] = typer.Option(None, help="Fighter; repeatable. Default: the main characters."),
    games: int = typer.Option(200, min=2, help="Games per pair of levels."),
    stage: str = typer.Option("BATTLEFIELD", help="Stage."),
    stocks: int = typer.Option(4, min=1, max=99, help="Stocks of both."),
    seed: int = SEED_OPTION,
    json: Path = JSON_OPTION,
) -> None:
    """Win rates of every level of the rule-based fighter against the one below, and of 9 against 1, in dittos."""
    from experiments.benchmarks.ladder import MAIN_CHARACTERS, measure_ladder
    from experiments.provenance import command, machine

    with progress("pairs of levels") as update:
        result = measure_ladder(character or MAIN_CHARACTERS, games, seed, stage, stocks, update)
    save_json(json, {**result, "command": command(), "machine": machine()})
    table([list(row.values()) for row in result["rows"]], list(result["rows"][0]))
    say(
        f"9 against 1: at least {result['worst_top']:.3f}; a level against the one below: at least "
        f"{result['worst_step']:.3f} (95 % intervals by Wilson; {games} games each, seed {seed}, {stage})"
    )


def _show(result: dict[str, Any], json: Path | None) -> None:
    from experiments.provenance import command, machine

    full = {**result, "command": command(), "machine": machine()}
    save_json(json, full)
    say(f"{full['machine']['cpu']}, {full['machine']['cores']} cores")
    for key, value in result.items():
        if isinstance(value, (int, float)):
            say(f"{key}: {value:,.0f}" if abs(value) >= 100 else f"{key}: {value:.3g}")
    rows = result.get("rows", [])
    if rows:
        table([list(row.values()) for row in rows], list(rows[0]))


@app.command()
def algorithms(
    config: Path = typer.Option(None, exists=True, dir_okay=False, help="Plan as TOML or JSON."),
    out: Path = typer.Option(
        Path("runs/algorithms"), help="Folder of the runs; what is there is not repeated."
    ),
    algorithm: list[str] = typer.Option(None, help="Only this row of the plan, or any agent; repeatable."),
    environment: list[str] = typer.Option(None, help="Only this environment; repeatable."),
    seeds: int = typer.Option(3, min=1, help="Seeds of every row: 0, 1, …"),
    jobs: int = typer.Option(1, min=1, help="Processes, one thread each."),
    json: Path = JSON_OPTION,
) -> None:
    """Train algorithms in environments over seeds and compare them: interquartile means with intervals."""
    from experiments.benchmarks.algorithms.curves import curves_of, draw
    from experiments.benchmarks.algorithms.plan import make_tasks, read_plan
    from experiments.benchmarks.algorithms.runs import measure_ends, run_tasks
    from experiments.benchmarks.algorithms.summary import markdown, summarise
    from experiments.files import write_text
    from experiments.provenance import command, machine
    from melee_env.errors import MeleeEnvError

    tasks = make_tasks(read_plan(config), range(seeds), algorithm or (), environment or ())

    def show(result: Any) -> None:
        figure = (
            result.get("error")
            or f"{result['figures']['value']:.3g} after {result['cpu_seconds']:.0f} s of CPU"
        )
        say(f"{result['row']}, {result['environment']}, seed {result['seed']}: {figure}")

    results = run_tasks(tasks, out, jobs, show)
    places = {task.environment.name: task.environment for task in tasks}
    summary = summarise(results, {name: measure_ends(place, out) for name, place in places.items()})
    save_json(json, {**summary, "runs": results, "command": command(), "machine": machine()})
    for name in places:
        if curves := curves_of(results, "win_rate", name):
            write_text(out / f"{name}.svg", draw(curves, "environment steps; win rate of the last 100 games"))
            say(f"learning curves: {out / f'{name}.svg'}")
    print(markdown(summary))
    failed = sum("error" in result for result in results)
    if failed:
        raise MeleeEnvError(f"{failed} of {len(results)} runs failed; the same command tries them again")
