"""Logs from paths, files, streams and memory (spec S5, S7, S9)."""

from __future__ import annotations

import array
import io
import mmap
import os
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, chunk, end_seed, header, jsonl, message, turn_end
from lastsaid import MalformedEventError
from ways import Dribble, answer, pipe

LOG = jsonl(header(), attempt("a"), message("b", id="m1", seq=1), turn_end())
OFFSET = len(jsonl(header(), attempt("a")))


def test_bytes_of_every_kind_are_read(engine: ModuleType) -> None:
    for data in (LOG, bytearray(LOG), memoryview(LOG), memoryview(bytearray(b"xx" + LOG))[2:], array.array("B", LOG)):
        said = engine.read_bytes(data)
        assert (said.text, said.offset) == ("b", OFFSET)


def test_memory_maps_are_read(engine: ModuleType, log_path: Path) -> None:
    log_path.write_bytes(LOG)
    with log_path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert engine.read_bytes(mapped).text == "b"


def test_paths_of_every_kind_are_read(engine: ModuleType, log_path: Path) -> None:
    log_path.write_bytes(LOG)

    class Named:
        def __fspath__(self) -> str:
            return str(log_path)

    for path in (log_path, str(log_path), Named()):
        assert engine.read(path).text == "b"


def test_names_do_not_matter(engine: ModuleType, tmp_path: Path) -> None:
    """spec S7.11: files are told by their first bytes, never by name."""
    path = tmp_path / "log.txt.gz"
    path.write_bytes(LOG)
    assert engine.read(path).text == "b"


def test_a_missing_file_is_the_systems_error(engine: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        engine.read(tmp_path / "nowhere")
    assert caught.value.filename is not None
    with pytest.raises(IsADirectoryError):
        engine.read(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_read_forward(engine: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    thread = threading.Thread(target=lambda: path.write_bytes(LOG), daemon=True)
    thread.start()
    said = engine.read(path)
    thread.join(timeout=30)
    assert (said.text, said.line) == ("b", 3)


def test_a_pipe_is_read_forward(engine: ModuleType) -> None:
    with pipe(LOG) as file:
        said = engine.read(file)
    assert (said.text, said.line, said.offset) == ("b", 3, OFFSET)


def test_a_file_is_read_from_where_it_stands_and_left_at_its_end(engine: ModuleType, log_path: Path) -> None:
    log_path.write_bytes(b"not part of it\n" + LOG)
    with log_path.open("rb") as file:
        file.readline()
        said = engine.read(file)
        assert (said.text, said.offset) == ("b", OFFSET)
        assert file.read() == b""
        assert not file.closed
    memory = io.BytesIO(LOG)
    memory.seek(0, io.SEEK_END)
    assert engine.read(memory).source == "none"


def test_a_stream_that_gives_less_than_asked_is_read_whole(engine: ModuleType) -> None:
    for step in (1, 2, 3, 1 << 20):
        assert engine.read(Dribble(LOG, step)).text == "b"


def test_a_file_that_has_only_read_is_read_forward(engine: ModuleType) -> None:
    class Plain:
        def __init__(self) -> None:
            self.memory = io.BytesIO(LOG)

        def read(self, size: int = -1) -> bytes:
            return self.memory.read(size)

    said = engine.read(Plain())
    assert (said.text, said.line) == ("b", 3)


def test_the_error_of_a_stream_comes_through(engine: ModuleType) -> None:
    class Broken(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            if not len(buffer):
                return 0
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        engine.read(Broken())


def test_line_is_set_where_reading_began_at_the_start(engine: ModuleType, log_path: Path) -> None:
    """spec S9 line: `start` of 0 or more, and sources that can't be sought."""
    log = b"\n" + LOG
    log_path.write_bytes(log)
    for options, line in (
        ({}, None),
        ({"start": 0}, 4),
        ({"start": 2}, 4),
        ({"start": -2}, None),
        ({"turn": None}, None),
    ):
        assert engine.read_bytes(log, **options).line == line
        assert engine.read(log_path, **options).line == line
    assert engine.read(Dribble(log)).line == 4
    assert engine.read(Dribble(log), suffix="whole").line == 4
    assert engine.read(Dribble(log), start=1).line == 4
    assert engine.read(Dribble(log), start=-2).line is None


def test_negative_start_of_a_stream_counts_from_its_end(engine: ModuleType) -> None:
    """spec S5.1: it holds its input in memory."""
    assert engine.read(Dribble(LOG), start=-2).text == "b"
    assert engine.read(Dribble(LOG), start=-1).source == "none"


@pytest.mark.parametrize(
    ("log", "offset", "line"),
    [
        (LOG, OFFSET, 3),
        (b"\xef\xbb\xbf" + LOG, OFFSET + 3, 3),
        (b"\r\n \n" + LOG, OFFSET + 4, 5),
        (LOG.replace(b"\n", b"\r\n"), OFFSET + 2, 3),
        (b"\xef\xbb\xbf" + jsonl(message("b", id="m1", seq=1)), 3, 1),
        (b"\xef\xbb\xbf\n" + jsonl(message("b", id="m1", seq=1)), 4, 2),
        (b"\xef\xbb\xbf" + jsonl(message("b", id="m1", seq=1))[:-1], 3, 1),
        (b"  " + jsonl(message("b", id="m1", seq=1)), 0, 1),
        (jsonl(header(), message("b", id="m1", seq=1)) + b"\xef\xbb\xbf", len(jsonl(header())), 2),
    ],
    ids=lambda value: f"{len(value)}_bytes" if isinstance(value, bytes) else str(value),
)
def test_place_is_the_first_byte_of_the_records_line(engine: ModuleType, log: bytes, offset: int, line: int) -> None:
    """spec S7.8, S9 place, S9 line."""
    said, forward = engine.read_bytes(log), engine.read(Dribble(log, 1))
    assert (said.offset, said.line, said.seq, said.message_id, said.index) == (offset, None, 1, "m1", None)
    assert (forward.offset, forward.line, forward.seq, forward.message_id) == (offset, line, 1, "m1")


@pytest.mark.parametrize("log", [b"", b"\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf \r\n\t", b"\0", b"\n\0\0"], ids=repr)
def test_logs_without_records_say_nothing(engine: ModuleType, log: bytes) -> None:
    """spec S7.8."""
    for said in (engine.read_bytes(log), engine.read(io.BytesIO(log)), engine.read(Dribble(log))):
        assert (said.source, said.output, said.warnings) == ("none", None, ())


@pytest.mark.parametrize("size", [65535, 65536, 65537, 131072])
def test_lines_across_blocks_are_whole(engine: ModuleType, size: int) -> None:
    """Readers work in blocks: a needle, an LF or a BOM may be cut by one."""
    for pad in range(-20, 3):
        noise = b'"' + b"x" * (size + pad - 3) + b'"\n'
        log = noise + jsonl(message("b")) + noise
        said, forward = engine.read_bytes(log, suffix="whole"), engine.read(Dribble(log, 1 << 16))
        assert (said.text, said.offset, forward.offset) == ("b", len(noise), len(noise))


def test_a_needle_at_any_place_of_a_block_is_found(engine: ModuleType) -> None:
    """spec S7 Candidates, when the type comes after 64 KiB of something else."""
    record = '{"pad":"%s","type":"assistant/message","data":{"message":{"content":[{"type":"text","text":"b"}]}}}\n'
    for pad in range(65536 - 40, 65536 + 4):
        log = jsonl(header()) + (record % ("x" * pad)).encode()
        assert engine.read(Dribble(log, 1 << 16)).text == "b"


def test_own_suffix_is_the_default(engine: ModuleType) -> None:
    """spec S5.1."""
    log = jsonl(header(), chunk("a"), end_seed(inherited=True), chunk("b"))
    assert engine.read_bytes(log).text == engine.read_bytes(log, suffix="own").text == "b"
    assert engine.read_bytes(log, suffix="whole").text == "ab"


def test_a_log_may_grow_between_readings(engine: ModuleType, log_path: Path) -> None:
    """spec S7 Torn tail."""
    log_path.write_bytes(jsonl(header(), chunk("a")))
    assert engine.read(log_path).text == "a"
    with log_path.open("ab") as file:
        file.write(jsonl(message("b"))[:20])
    assert (engine.read(log_path).text, engine.read(log_path).warnings) == ("a", ("torn_tail",))


def test_mutable_buffers_may_change_after_the_call(engine: ModuleType) -> None:
    """spec S10: they are copied first."""
    data = bytearray(LOG)
    said = engine.read_bytes(data)
    before = answer(said)
    data[:] = b"0" * len(data)
    data.clear()
    assert answer(said) == before
    fold, record = engine.AssistantOutputFold(), bytearray(jsonl(message("a")))
    fold.push_json(record)
    record.clear()
    assert fold.text == "a"


def test_the_end_of_a_long_log_answers_at_once(engine: ModuleType, log_path: Path) -> None:
    """spec S6.3: a backward read with an early exit looks at the end only."""

    class Counting(io.BytesIO):
        given = 0

        def read(self, size: int | None = -1) -> bytes:
            data = super().read(size)
            self.given += len(data)
            return data

        def readinto(self, buffer: Any) -> int:
            count = super().readinto(buffer)
            self.given += count
            return count

    log = jsonl(header(), *[chunk("noise" * 10)] * 20_000, message("b"), turn_end())
    source = Counting(log)
    assert engine.read(source).text == "b"
    assert source.given < len(log) / 4


class Misbehaving:
    """A file whose `read` gives what it should not."""

    def __init__(self, given: Any, *, seekable: bool) -> None:
        self.given = given
        self._seekable = seekable

    def seekable(self) -> bool:
        return self._seekable

    def tell(self) -> int:
        return 0

    def seek(self, offset: int, whence: int = 0) -> int:
        return 40 if whence == 2 else offset

    def read(self, size: int = -1) -> Any:
        return b"" if size == 0 else self.given


@pytest.mark.parametrize("seekable", [True, False])
@pytest.mark.parametrize("start", [None, 0, -1])
def test_a_file_that_reads_no_bytes_is_a_type_error_and_no_hang(engine, seekable, start):
    """spec S5: wrong Python types say what they are."""
    with pytest.raises(TypeError, match=r"the file's read\(\) returned str, expected bytes"):
        engine.read(Misbehaving("abc", seekable=seekable), start=start)


def test_a_file_that_reads_more_than_it_was_asked_for_is_an_error_and_no_hang(engine):
    with pytest.raises(ValueError, match="returned more than it was asked for"):
        engine.read(Misbehaving(b"{}" * 500_000, seekable=True), start=0)


@pytest.mark.parametrize(
    ("data", "found"), [(b"\x1f\x8b\x08\x00", "gzip data"), (b"\x28\xb5\x2f\xfd\x00", "zstd data")]
)
def test_compressed_data_is_called_by_its_name(engine, data, found):
    """spec S7: our words, and what they are about. Only logs are decompressed."""
    with pytest.raises(MalformedEventError) as caught:
        engine.AssistantOutputFold().push_json(data)
    assert (caught.value.kind, caught.value.found) == ("not_utf8", found)
