"""Compressed logs: frames that are sound, damaged or cut (spec S7.11, S7 Frames, S7.13, S7.14)."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from dsh_events import jsonl, message, turn_end
from lastsaid import MalformedEventError, Selection
from ways import Dribble, answer

zstd: Any = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")

CHECKED = {zstd.CompressionParameter.checksum_flag: 1}
LINES = [jsonl(message(words, seq=seq)) for seq, words in enumerate(("one", "two", "three"))]


def sized(data: bytes) -> bytes:
    """A frame that states its size and has a checksum."""
    return zstd.compress(data, options=CHECKED)


def unsized(data: bytes) -> bytes:
    packer = zstd.ZstdCompressor(options=CHECKED)
    return packer.compress(data) + packer.flush()


def skippable(data: bytes) -> bytes:
    return b"\x5a\x2a\x4d\x18" + len(data).to_bytes(4, "little") + data


def ways(engine: ModuleType, log: bytes, **options: Any) -> list[Callable[[], Selection]]:
    return [
        lambda: engine.read_bytes(log, **options),
        lambda: engine.read(io.BytesIO(log), **options),
        lambda: engine.read(Dribble(log, 7), **options),
    ]


def read(engine: ModuleType, log: bytes, **options: Any) -> Selection:
    """What all ways say; only those that can't seek count lines."""
    said = [way() for way in ways(engine, log, **options)]
    assert answer(said[0], "line") == answer(said[1], "line") == answer(said[2], "line")
    return said[0]


def refused(engine: ModuleType, log: bytes, **options: Any) -> MalformedEventError:
    """The error of all ways."""
    said = []
    for way in ways(engine, log, **options):
        with pytest.raises(MalformedEventError) as caught:
            way()
        said.append(caught.value)
    assert str(said[0]) == str(said[1]) == str(said[2])
    return said[0]


def test_the_log_is_what_its_frames_hold(engine: ModuleType) -> None:
    whole = b"".join(LINES)
    cut = len(LINES[0]) + 9
    for log in (
        sized(whole),
        b"".join(map(sized, LINES)),
        unsized(whole[:cut]) + sized(whole[cut:]),
        skippable(b"{}") + sized(whole) + skippable(b"x" * 100) + bytes(1000),
        sized(b"") + sized(whole) + sized(b""),
        gzip.compress(whole),
        b"".join(map(gzip.compress, LINES)) + bytes(3),
    ):
        said = read(engine, log)
        assert (said.text, said.offset, said.warnings) == ("three", len(whole) - len(LINES[2]), ())


def test_frames_that_state_their_size_are_read_from_the_end(engine: ModuleType) -> None:
    """spec S7.14: places as in plain logs; other compressed logs can't be sought, so their lines are counted."""
    assert engine.read_bytes(b"".join(map(sized, LINES))).line is None
    for log in (
        unsized(b"".join(LINES)),
        gzip.compress(b"".join(LINES)),
        sized(b" " * ((16 << 20) + 1) + b"\n" + LINES[0]),
    ):
        assert engine.read_bytes(log).line is not None


@pytest.mark.parametrize("nth", [0, 1, 2])
def test_a_bad_frame_counts_not_at_all(engine: ModuleType, nth: int) -> None:
    """spec S7.13: it stands as a line that can't be read, so only after the winner it counts."""
    frames = [bytearray(sized(line)) for line in LINES]
    frames[nth][-1] ^= 1
    log = b"".join(frames)
    start = sum(map(len, frames[:nth]))
    if nth < 2:
        assert read(engine, log).text == "three"
    else:
        error = refused(engine, log)
        assert (error.kind, error.path, error.offset, error.line) == ("damaged_frame", "", len(LINES[0]) * 2, None)
        assert error.found == f"in a damaged zstd frame (byte {start} of the file)"
        assert error.expected == "a sound one"
    said = read(engine, log, on_malformed="skip")
    assert said.text == ("two" if nth == 2 else "three")
    assert said.warnings == (("malformed_skipped",) if nth == 2 else ())
    kinds = [(problem.kind, problem.line) for problem in engine.check(log)]
    assert kinds == [("damaged_frame", None)]


def test_what_stands_beside_a_bad_frame_is_lines_of_its_own(engine: ModuleType) -> None:
    whole = b"".join(LINES)
    before, after = whole[: len(LINES[0]) + 5], jsonl(message("after"))
    bad = bytearray(sized(b"x" * 50))
    bad[-1] ^= 1
    said = read(engine, sized(before) + bytes(bad) + sized(after), on_malformed="skip")
    assert (said.text, said.offset) == ("after", len(before) + 50)


@pytest.mark.parametrize("tail", [b"{}\n", b"\x28\xb5\x2f\xfe", b"\0\0x", gzip.compress(b"{}\n")])
def test_trailing_bytes_that_are_no_frame_end_the_log(engine: ModuleType, tail: bytes) -> None:
    whole = b"".join(LINES)
    for log in (sized(whole), unsized(whole)):
        error = refused(engine, log + tail)
        assert (error.kind, error.offset) == ("damaged_frame", len(whole))
        assert error.sentence == (
            f"the record is not a zstd frame (byte {len(log)} of the file), expected another frame or the end"
        )
        assert read(engine, log + tail, on_malformed="skip").text == "three"


def test_a_file_that_ends_inside_a_frame_gives_its_whole_lines(engine: ModuleType) -> None:
    """spec S7 Frames: what ends in an LF, though the last piece may be a whole value."""
    whole = b"".join(LINES)
    for log in (b"".join(map(sized, LINES)), b"".join(map(gzip.compress, LINES))):
        # Only the checksum is cut.
        said = read(engine, log[:-1])
        assert (said.text, said.warnings) == ("three", ("torn_tail",))
    said = read(engine, sized(whole) + sized(LINES[0][:-1])[:-1])
    assert (said.text, said.warnings) == ("three", ("torn_tail",))
    said = read(engine, sized(whole) + sized(b'{"type":"assistant/message"}')[:-2])
    assert (said.text, said.warnings) == ("three", ("torn_tail",))
    # The first bytes of another frame.
    for log, magic in ((sized(whole), b"\x28\xb5\x2f"), (gzip.compress(whole), b"\x1f")):
        for count in range(1, len(magic) + 1):
            assert read(engine, log + magic[:count]).warnings == ("torn_tail",)
    problem = engine.check(sized(whole) + b"\x28")[0]
    assert (problem.kind, problem.offset, problem.line) == ("torn_tail", len(whole), 4)
    assert problem.message == "the file ends inside a frame"


def test_a_window_that_is_too_large_is_refused(engine: ModuleType) -> None:
    huge = b"\x28\xb5\x2f\xfd\x00\xff" + (5 << 3 | 1).to_bytes(3, "little") + b"{}  \n"
    error = refused(engine, sized(LINES[0]) + huge)
    window = (1 << 41) + (1 << 41) // 8 * 7
    assert error.found == f"in a zstd frame with a window of {window} bytes (byte {len(sized(LINES[0]))} of the file)"
    assert error.expected == "a window of at most 134217728"


@pytest.mark.parametrize("pack", [gzip.compress, unsized, sized])
def test_too_much_decompressed_ends_the_reading(engine: ModuleType, pack: Callable[[bytes], bytes]) -> None:
    """spec S7.17: never memory exhausted, skipping or not."""
    log = pack(b" " * (9 << 20) + b"\n" + LINES[0])
    for malformed in ("raise", "skip"):
        error = refused(engine, log, max_decompressed_bytes=1 << 20, on_malformed=malformed)
        assert (error.kind, error.offset, error.line) == ("too_large", 1 << 20, None)
        assert error.sentence == (
            "the record is beyond 1048576 decompressed bytes, expected at most 1048576 (see max_decompressed_bytes)"
        )
    assert read(engine, log, max_decompressed_bytes=(9 << 20) + 1 + len(LINES[0])).text == "one"
    problems = engine.check(log, max_decompressed_bytes=1000)
    assert [(problem.kind, problem.offset) for problem in problems] == [("too_large", 1000)]


def test_a_log_read_from_its_end_counts_only_the_frames_that_were_touched(engine: ModuleType) -> None:
    frames = [sized(b" " * 100_000 + b"\n") for _ in range(50)]
    log = sized(LINES[0]) + b"".join(frames) + sized(LINES[2] + jsonl(turn_end()))
    assert engine.read_bytes(log, max_decompressed_bytes=1 << 20).text == "three"
    with pytest.raises(MalformedEventError, match="max_decompressed_bytes"):
        engine.read_bytes(log, max_decompressed_bytes=1 << 20, explain=True)


def test_only_logs_are_decompressed_and_only_once(engine: ModuleType) -> None:
    with pytest.raises(MalformedEventError) as caught:
        engine.read_bytes(gzip.compress(gzip.compress(LINES[0]) + b"\n"))
    assert caught.value.kind == "not_utf8"
