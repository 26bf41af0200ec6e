"""Flags, variables, ini files."""

from pathlib import Path

import pytest

from melee_env.virtual_dolphin.command import main
from melee_env.virtual_dolphin.config import read_config
from melee_env.virtual_dolphin.settings import SettingError, parse


def test_variables_stand_for_flags_and_flags_win() -> None:
    environment = {"VIRTUAL_DOLPHIN_SLIPPI": "3.9.0", "VIRTUAL_DOLPHIN_FAULT": "die:60,slow:5"}
    settings, version = parse(
        ["-u", "x", "--seed", "3", "--platform", "headless", "-e", "no.iso"], environment
    )
    assert settings.slippi == (3, 9, 0) and settings.seed == 3 and not version
    assert settings.faults.due("die", 60) and not settings.faults.due("die", 59)
    assert parse(["-u", "x", "--slippi", "3.0.0"], environment)[0].slippi == (3, 0, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "-u DIRECTORY"),
        (["-u", "x", "--build", "new"], "mainline-exiai"),
        (["-u", "x", "--fault", "explode"], "unknown fault"),
        (["-u", "x", "--fault", "die"], "needs a number"),
        (["-u", "x", "--rollback", "2,5"], "EVERY,FRAMES"),
        (["-u", "x", "--slippi", "3"], "3.19.0"),
        (["-u", "x", "--slippi", "2.0.1"], "3.19.0"),
        (["-u", "x", "--slippi", "3.20.0"], "3.19.0"),
        (["-u", "x", "--side", "3"], "1 or 2"),
    ],
)
def test_wrong_settings_are_named(arguments: list[str], message: str, capsys) -> None:
    with pytest.raises(SettingError, match=message):
        parse(arguments, {})
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2 and len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("mainline", [True, False])
def test_ini_files_are_read_whatever_the_case_of_their_keys(mainline: bool, tmp_path: Path) -> None:
    (tmp_path / "Config").mkdir()
    (tmp_path / "GameSettings").mkdir()
    section, prefix = ("Slippi", "") if mainline else ("Core", "slippi")
    (tmp_path / "Config" / "Dolphin.ini").write_text(
        f"[Core]\nsidevice0 = 6\nsidevice1 = 12\nemulationspeed = 0.5\n"
        f"{'[Slippi]' if mainline else ''}\n{prefix}spectatorlocalport = 4711\nblockingpipes = True\n"
        f"{prefix}savereplays = True\n{prefix}replaydir = /r\n{prefix}replaymonthlyfolders = True\n"
    )
    (tmp_path / "GameSettings" / "GALE01r2.ini").write_text(
        "[Gecko]\n$Optional: Not This\n[Gecko_Enabled]\n$Optional: Instant Match\n"
    )
    config = read_config(tmp_path, mainline)
    assert (config.spectator_port, config.blocking, config.speed) == (4711, True, 0.5)
    assert config.devices == (6, 12, 0, 0) and config.replays == Path("/r") and config.monthly
    assert config.codes == {"Instant Match"}
