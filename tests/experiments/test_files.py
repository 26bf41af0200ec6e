import json
import math

import numpy as np
import pytest

from experiments.files import whole_file, write_json
from experiments.workspace import result_folder
from melee_env.errors import MeleeEnvError


def test_json_holds_arrays_and_no_nan(tmp_path) -> None:
    write_json(tmp_path / "a.json", {"a": np.arange(2), "b": math.nan, "c": (np.float32(1.5), tmp_path)})
    assert json.loads((tmp_path / "a.json").read_text()) == {
        "a": [0, 1],
        "b": None,
        "c": [1.5, str(tmp_path)],
    }


def test_failed_write_leaves_the_earlier_file(tmp_path) -> None:
    write_json(tmp_path / "a.json", 1)
    with pytest.raises(TypeError):
        write_json(tmp_path / "a.json", object())
    with pytest.raises(RuntimeError), whole_file(tmp_path / "a.json") as pending:
        pending.write_text("half")
        raise RuntimeError
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a.json", "1\n")]


def test_results_replace_earlier_ones_only_when_the_job_is_done(tmp_path) -> None:
    out = tmp_path / "run"
    for content in ("first", "second"):
        with result_folder(out) as work:
            (work / "data").mkdir()
            (work / "data" / content).touch()
    with pytest.raises(RuntimeError), result_folder(out) as work:
        (work / "data").mkdir()
        raise RuntimeError
    assert sorted(p.name for p in out.iterdir()) == [".lock", "data"]
    assert [p.name for p in (out / "data").iterdir()] == ["second"]


def test_second_job_in_the_folder_is_refused(tmp_path) -> None:
    with result_folder(tmp_path), pytest.raises(MeleeEnvError, match="another job"), result_folder(tmp_path):
        pass
