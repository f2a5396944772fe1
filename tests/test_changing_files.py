"""Files that change while they are read: the answer of what was there, or an OSError (spec S7)."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, header, jsonl, message, turn_end, turn_start
from lastsaid import Selection
from recoded import SOUGHT, STREAMED, Encoding

# Long enough for several blocks, however it is read, and not to be compressed to nothing.
NOISE = [attempt(f"{i} {i * 7919 % 10007:x}" * 40, seq=i) for i in range(500)]
LOG = jsonl(header(), message("first", seq=0), *NOISE, turn_start(), message("last", seq=2001), turn_end())
LATER = jsonl(message("appended", seq=9999))
ENCODINGS: dict[str, Encoding] = {
    "plain": bytes,
    "an array": lambda log: b"[" + b",\n".join(log.splitlines()) + b"]",
    **STREAMED,
    **SOUGHT,
}


class Changing(io.FileIO):
    """A file that something happens to once its size is known, or once so much of it was read."""

    def __init__(self, path: Path, change: Callable[[Path], Any], *, after: int | None = None) -> None:
        super().__init__(path, "rb")
        self.path = path
        self.change: Callable[[Path], Any] | None = change
        self.after = after
        self.taken = 0

    def happen(self) -> None:
        change, self.change = self.change, None
        if change is not None:
            change(self.path)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        at = super().seek(offset, whence)
        if whence == os.SEEK_END and self.after is None:
            self.happen()
        return at

    def readinto(self, buffer: Any, /) -> int:
        if self.after is not None and self.taken >= self.after:
            self.happen()
        count = super().readinto(buffer) or 0
        self.taken += count
        return count

    def read(self, size: int | None = -1, /) -> bytes:
        if self.after is not None and self.taken >= self.after:
            self.happen()
        data = super().read(-1 if size is None else size) or b""
        self.taken += len(data)
        return data


def half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def empty(path: Path) -> None:
    os.truncate(path, 0)


@pytest.mark.parametrize("change", [half, empty])
@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS.keys())
def test_a_file_that_shrank_after_its_size_was_known_is_an_os_error(
    engine: ModuleType, encode: Encoding, change: Callable[[Path], Any], log_path: Path
) -> None:
    log_path.write_bytes(encode(LOG))
    with Changing(log_path, change) as file, pytest.raises(OSError) as caught:
        engine.read(file)
    assert str(caught.value)


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS.keys())
def test_a_file_that_shrinks_while_it_is_read_is_an_os_error_or_was_read_already(
    engine: ModuleType, encode: Encoding, log_path: Path
) -> None:
    log_path.write_bytes(encode(LOG))
    with Changing(log_path, half, after=1) as file:
        try:
            said = engine.read(file)
        except OSError:
            return
    # What was read before it shrank was enough.
    assert (said.text, said.warnings) == ("last", ())


@pytest.mark.parametrize("name", ["plain", "gzip", "zstd, one frame", "zstd, a frame a line", "zstd, unsized"])
def test_what_is_appended_while_it_is_read_is_not_seen(engine: ModuleType, name: str, log_path: Path) -> None:
    encode = ENCODINGS[name]
    log_path.write_bytes(encode(LOG))

    def append(path: Path) -> None:
        with path.open("ab") as file:
            file.write(encode(LATER))

    with Changing(log_path, append) as file:
        assert engine.read(file).text == "last"
    # Now it is there.
    assert engine.read(log_path).text == "appended"


@pytest.mark.skipif(sys.platform == "win32", reason="an open file can't be removed there")
@pytest.mark.parametrize("name", ENCODINGS)
def test_a_file_that_is_removed_while_it_is_read_is_read(engine: ModuleType, name: str, log_path: Path) -> None:
    log_path.write_bytes(ENCODINGS[name](LOG))
    with Changing(log_path, os.unlink) as file:
        assert engine.read(file).text == "last"
    with pytest.raises(FileNotFoundError):
        engine.read(log_path)


@pytest.mark.skipif(sys.platform == "win32", reason="an open file can't be replaced there")
@pytest.mark.parametrize("name", ["plain", "gzip", "zstd, a frame every 3 lines", "an array"])
def test_a_path_whose_file_shrinks_and_comes_back_gives_an_answer_or_an_os_error(
    engine: ModuleType, name: str, log_path: Path
) -> None:
    """Whatever the moment: no crash, and no defect of a log that has none."""
    data = ENCODINGS[name](LOG)
    whole = log_path.with_name("whole")
    log_path.write_bytes(data)
    over = threading.Event()

    def disturb() -> None:
        while not over.is_set():
            os.truncate(log_path, len(data) // 2)
            whole.write_bytes(data)
            os.replace(whole, log_path)

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for _ in range(6):
            try:
                said = engine.read(log_path)
            except OSError:
                continue
            assert isinstance(said, Selection)
            assert said.text == "last" or said.text.startswith("first")
    finally:
        over.set()
        thread.join(timeout=30)
