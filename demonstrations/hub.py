"""Fetch public sets of recordings from the Hugging Face hub, by revision; a cut download goes on where it was."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from demonstrations.store import write_atomically
from melee_env.errors import MissingExtra, OptionError, ReplayError

DATASETS = {
    "replays": "erickfm/slippi-public-dataset-v3.7",
    "mimic": "erickfm/mimic-melee",
    "mimic-subset": "erickfm/mimic-melee-subset",
}
"""Sets by short name: ~95,000 ``.slp`` files (200 GB), their tensor shards (2.59 TB), a part of these (27 GB)."""
MARK = "fetched.json"


def fetch(
    name: str,
    out: str | os.PathLike[str],
    revision: str = "main",
    patterns: Sequence[str] = ("*",),
    limit: int = 0,
    endpoint: str | None = None,
) -> dict[str, Any]:
    """Download files of a data set into a folder.

    Args:
        name: a name in :data:`DATASETS`, or ``owner/name`` on the hub.
        out: the folder; files that are there whole are kept, half files are continued.
        revision: branch, tag or commit. What a branch points to is looked up once and kept for later runs.
        patterns: which files, e.g. ``("*.json", "train_shard_00*.pt")``.
        limit: most files to fetch, in the order of their names; 0 for all. JSON files do not count.
        endpoint: another hub than the public one.

    Returns:
        ``repository``, ``commit`` and ``files``, also kept in ``fetched.json``.

    Raises:
        OptionError: no such set or revision, no file of that name, or the folder holds another set or commit.
        ReplayError: ``download`` when the hub cannot be reached or breaks off; run again to go on.
        MissingExtra: huggingface_hub is not installed.
    """
    try:
        from huggingface_hub import HfApi, hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError, RepositoryNotFoundError, RevisionNotFoundError
        from requests.exceptions import RequestException
    except ImportError as error:
        raise MissingExtra("huggingface_hub", "zoo") from error
    repository = DATASETS.get(name, name)
    if repository.count("/") != 1:
        raise OptionError(f"unknown data set {name!r}; known: {', '.join(DATASETS)}, or owner/name")
    root = Path(out)
    before = _read_mark(root)
    if before and (before["repository"] != repository or before["revision"] != revision):
        raise OptionError(
            f"{root} holds {before['repository']} at {before['revision']}; fetch {repository} at {revision} elsewhere"
        )
    api = HfApi(endpoint=endpoint)
    try:
        info = api.dataset_info(repository, revision=before["commit"] if before else revision)
        names = sorted(sibling.rfilename for sibling in info.siblings or [])
        chosen = _choose(names, patterns, limit)
        if not chosen:
            raise OptionError(f"{repository} has no file like {', '.join(patterns)}")
        result = {"repository": repository, "revision": revision, "commit": info.sha, "files": chosen}
        root.mkdir(parents=True, exist_ok=True)
        write_atomically(root / MARK, json.dumps(result, indent=1).encode())
        for file in chosen:
            hf_hub_download(
                repository, file, repo_type="dataset", revision=info.sha, local_dir=root, endpoint=endpoint
            )
    except RevisionNotFoundError as error:
        raise OptionError(f"{repository} has no revision {revision!r}") from error
    except RepositoryNotFoundError as error:
        raise OptionError(f"there is no data set {repository} on the hub (or it is private)") from error
    except (HfHubHTTPError, RequestException, OSError) as error:
        detail = f"{str(error).splitlines()[0] if str(error) else type(error).__name__}; run again to go on"
        raise ReplayError("download", repository, None, detail) from error
    return result


def _choose(names: Sequence[str], patterns: Sequence[str], limit: int) -> list[str]:
    """Return the wanted files, those that describe the set first."""
    wanted = [name for name in names if any(fnmatch(name, pattern) for pattern in patterns)]
    tables = [name for name in wanted if name.endswith(".json")]
    data = [name for name in wanted if not name.endswith(".json")]
    return tables + (data[:limit] if limit else data)


def _read_mark(root: Path) -> dict[str, Any] | None:
    try:
        return json.loads((root / MARK).read_text())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise OptionError(f"{root / MARK} is damaged ({error}); remove it and fetch again") from error
