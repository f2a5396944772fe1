"""A session's directory stands for its newest log (spec S5.12)."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from types import ModuleType

import pytest

from dsh_events import header, jsonl, message
from lastsaid import AmbiguousLogError


def session(folder: Path, **files: str) -> Path:
    """A directory with logs that say these words; `_` in a name stands for a dot."""
    for name, words in files.items():
        (folder / name.replace("_", ".")).write_bytes(jsonl(header(), message(words)))
    return folder


def test_the_highest_version_is_read(engine: ModuleType, tmp_path: Path) -> None:
    session(tmp_path, session_jsonl="0", session_v2_jsonl="2", session_v10_jsonl="10")
    for path in (tmp_path, str(tmp_path), os.fsencode(tmp_path), f"{tmp_path}/"):
        assert engine.read(path).text == "10"
    assert [said.text for said in engine.read_sessions(tmp_path).values()] == ["10"]
    assert engine.check(tmp_path) == []


@pytest.mark.parametrize(
    "name", ["session.v0.jsonl", "session.v01.jsonl", "session.vx.jsonl", "session.V1.jsonl", "session.jsonl.gz",
             "session.v.jsonl", "xsession.jsonl", "session.v1.jsonl.zst", "session.v1.jsonl\n", "session.v٣.jsonl"]
)  # fmt: skip
def test_other_names_are_no_logs(engine: ModuleType, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(jsonl(message("no")))
    with pytest.raises(IsADirectoryError, match=r"Is a directory and holds no session\.jsonl") as caught:
        engine.read(tmp_path)
    assert (caught.value.errno, caught.value.filename) == (errno.EISDIR, str(tmp_path))
    session(tmp_path, session_jsonl="yes")
    assert engine.read(tmp_path).text == "yes"


def test_both_encodings_of_the_newest_are_an_error_naming_both(engine: ModuleType, tmp_path: Path) -> None:
    session(tmp_path, session_v1_jsonl="1", session_v1_jsonl_zstd="1", session_v2_jsonl="2")
    # Of older versions nobody asks.
    assert engine.read(tmp_path).text == "2"
    session(tmp_path, session_v2_jsonl_zstd="2")
    for call in (engine.read, engine.read_sessions, engine.check):
        with pytest.raises(AmbiguousLogError) as caught:
            call(tmp_path)
        assert caught.value.names == ("session.v2.jsonl", "session.v2.jsonl.zstd")
        both = "session.v2.jsonl and session.v2.jsonl.zstd"
        assert str(caught.value) == f"{tmp_path} holds both {both}; name one of them"
        assert isinstance(caught.value, ValueError)


def test_a_log_that_cannot_be_opened_is_named_and_not_its_directory(engine: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").symlink_to(tmp_path / "gone")
    with pytest.raises(FileNotFoundError) as caught:
        engine.read(tmp_path)
    assert caught.value.filename == str(tmp_path / "session.jsonl")
