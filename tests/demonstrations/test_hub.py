"""Downloads from a hub that runs here: a real HTTP server with the hub's paths and headers."""

import hashlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import pytest

from demonstrations.hub import fetch
from melee_env.errors import OptionError, ReplayError

pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")

COMMITS = {"main": "a" * 40, "v1": "b" * 40}
FILES = {
    "norm_stats.json": b'{"frame": [0, 1]}',
    "train_shard_000.pt": bytes(range(256)) * 2000,
    "train_shard_001.pt": b"second" * 1000,
    "sub/games größer.slp": b"a replay",
}


class Hub(BaseHTTPRequestHandler):
    """The parts of the hub's interface that a download uses."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, body):
        server, path = self.server, unquote(self.path.partition("?")[0])
        asked = self.headers.get("Range", "")
        server.seen.append((self.command, path, asked))
        if match := re.fullmatch(r"/api/datasets/some/set/revision/(\w+)", path):
            commit = COMMITS.get(match[1], match[1])
            if commit not in COMMITS.values():
                return self.send(404, b"{}", {"X-Error-Code": "RevisionNotFound"})
            siblings = [{"rfilename": name} for name in FILES]
            return self.send(
                200, json.dumps({"id": "some/set", "sha": commit, "siblings": siblings}).encode(), {}
            )
        if match := re.fullmatch(r"/datasets/some/set/resolve/(\w+)/(.+)", path):
            data = FILES[match[2]]
            headers = {
                "X-Repo-Commit": match[1],
                "ETag": f'"{hashlib.sha256(data).hexdigest()}"',
                "Accept-Ranges": "bytes",
            }
            begin = re.match(r"bytes=(\d+)-", asked)
            if not body:
                return self.send(200, data, headers, body=False)
            if begin:
                first = int(begin[1])
                headers["Content-Range"] = f"bytes {first}-{len(data) - 1}/{len(data)}"
                return self.send(206, data[first:], headers)
            if match[2] in server.cut:
                server.cut.remove(match[2])
                self.send(200, data, headers, sent=len(data) // 2)
                self.close_connection = True
                return None
            return self.send(200, data, headers)
        return self.send(404, b"{}", {"X-Error-Code": "RepoNotFound"})

    def send(self, status, data, headers, body=True, sent=None):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(data[:sent])


@pytest.fixture
def hub():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.seen, server.cut = [], []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    server.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield server
    server.shutdown()
    server.server_close()


def test_files_of_a_revision_arrive_whole(hub, tmp_path):
    result = fetch("some/set", tmp_path / "out", "v1", endpoint=hub.url)
    assert result["commit"] == "b" * 40 and sorted(result["files"]) == sorted(FILES)
    for name, data in FILES.items():
        assert (tmp_path / "out" / name).read_bytes() == data
    assert all("b" * 40 in path for _, path, _ in hub.seen if "/resolve/" in path)


def test_patterns_and_limit_choose_files(hub, tmp_path):
    result = fetch("some/set", tmp_path, patterns=["*.json", "*.pt"], limit=1, endpoint=hub.url)
    assert result["files"] == ["norm_stats.json", "train_shard_000.pt"]
    with pytest.raises(OptionError, match="no file like"):
        fetch("some/set", tmp_path, patterns=["*.zip"], endpoint=hub.url)


def test_a_second_run_fetches_only_what_is_missing(hub, tmp_path):
    fetch("some/set", tmp_path, patterns=["*.pt"], endpoint=hub.url)
    (tmp_path / "train_shard_001.pt").unlink()
    hub.seen.clear()
    fetch("some/set", tmp_path, patterns=["*.pt"], endpoint=hub.url)
    fetched = [
        path.rpartition("/")[2] for command, path, _ in hub.seen if command == "GET" and "/resolve/" in path
    ]
    assert fetched == ["train_shard_001.pt"]


def test_a_cut_download_goes_on_where_it_was(hub, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 4096
    )  # 10 MB would need a large file
    hub.cut.append("train_shard_000.pt")
    name = "train_shard_000.pt"
    try:
        fetch("some/set", tmp_path, patterns=[name], endpoint=hub.url)
    except ReplayError as error:
        assert error.reason == "download" and "run again" in str(error)
        fetch("some/set", tmp_path, patterns=[name], endpoint=hub.url)
    assert (tmp_path / name).read_bytes() == FILES[name]
    assert any(asked.startswith("bytes=") for command, _, asked in hub.seen if command == "GET")


def test_mistakes_are_told_in_one_line(hub, tmp_path):
    for name, revision, words in (
        ("other/set", "main", "no data set other/set"),
        ("some/set", "v9", "no revision 'v9'"),
        ("something", "main", "unknown data set"),
    ):
        with pytest.raises(OptionError, match=words):
            fetch(name, tmp_path / "x", revision, endpoint=hub.url)
    fetch("some/set", tmp_path / "y", "v1", ["*.json"], endpoint=hub.url)
    with pytest.raises(OptionError, match="elsewhere"):
        fetch("some/set", tmp_path / "y", "main", ["*.json"], endpoint=hub.url)


def test_a_hub_that_is_not_there_is_a_typed_error(tmp_path):
    with pytest.raises(ReplayError, match="download"):
        fetch("some/set", tmp_path, endpoint="http://127.0.0.1:9")  # discard port: refused at once
