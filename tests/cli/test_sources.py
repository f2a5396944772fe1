"""Compressed logs, session directories, arrays and notifications on the command line."""

import gzip
import json

import pytest

from cli.dsh_events import GREETING, SOUND, enveloped, said

zstd = pytest.importorskip("compression.zstd" if __import__("sys").version_info >= (3, 14) else "backports.zstd")


def encoded(name, text):
    data = text.encode()
    if name == "gzip":
        return gzip.compress(data, mtime=0)
    if name == "zstd":
        return zstd.compress(data)
    if name == "zstd, a frame a line":
        return b"".join(zstd.compress(line) for line in data.splitlines(keepends=True))
    return json.dumps([json.loads(line) for line in data.splitlines()]).encode()


@pytest.mark.parametrize("name", ["gzip", "zstd", "zstd, a frame a line", "array"])
def test_what_a_log_is_encoded_as_is_told_by_its_first_bytes(lastsaid, tmp_path, name):
    """spec S7: never by its name."""
    data = encoded(name, "\n".join([*SOUND, ""]))
    (tmp_path / "run").write_bytes(data)
    assert lastsaid("run") == (0, f"{GREETING}\n".encode(), "")
    assert lastsaid("-", stdin=data) == (0, f"{GREETING}\n".encode(), "")


def test_a_session_directory_stands_for_its_newest_log(lastsaid, log, tmp_path):
    """spec S5."""
    folder = tmp_path / "session"
    folder.mkdir()
    for name, text in (("session.jsonl", "old"), ("session.v2.jsonl", "older"), ("session.v10.jsonl", "new")):
        log(f"session/{name}", said(1, text))
    assert lastsaid("session").out == b"new\n"
    assert lastsaid("--check", "session") == (0, b"", "")
    (folder / "session.v10.jsonl.zstd").write_bytes(b"")
    ran = lastsaid("session")
    both = "it holds both session.v10.jsonl and session.v10.jsonl.zstd"
    assert (ran.code, ran.out) == (2, b"")
    assert ran.lines == [f"error: session: {both}", "hint: name one: lastsaid session/session.v10.jsonl"]


def test_a_session_of_several_is_picked_by_its_id(lastsaid, log):
    started = json.dumps({"method": "subagent.started", "params": {"childSessionId": "child"}})
    log("rpc.jsonl", enveloped("root", said(1, "mine")), started, enveloped("child", said(1, "its")))
    assert lastsaid("rpc.jsonl").out == b"mine\n"
    assert lastsaid("--session", "child", "rpc.jsonl").out == b"its\n"


def test_a_missing_extra_is_one_sentence(command, tmp_path):
    """spec S7: the reference reads zstd with the standard library or an extra; without, one sentence names it."""
    (tmp_path / "run.zst").write_bytes(zstd.compress(b"{}\n"))
    blocked = "import sys; sys.modules['backports.zstd'] = sys.modules['compression.zstd'] = None\n"
    (tmp_path / "sitecustomize.py").write_text(blocked)
    ran = command("run.zst", PYTHONPATH=f"{tmp_path}")
    assert ran.code == 2
    assert ran.lines == [
        "error: run.zst: reading zstd in the pure Python engine takes Python 3.14 or the extra lastsaid[zstd]",
        "hint: pip install 'lastsaid[zstd]', or use the other engine (--engine rust)",
    ]
