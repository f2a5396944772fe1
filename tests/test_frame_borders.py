"""Where frames and members end, whatever is cut there, a log says what it says plain (spec S7 Frames, S7.11 to S7.14).

The oracle is the plain log, read by the same engine.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, end_seed, header, jsonl, message, turn_end, turn_start
from lastsaid import MalformedEventError, Selection, SelectionWarning
from recoded import CHECKSUM, gzipped, lines, zstd
from test_borders import ANSWER, KIB, MIB, Log, line, noise
from ways import Dribble, answer

# A needle spelt with escapes, wide characters, a seed marker, a winner without text and what is said before it.
WORDS = "é文🎉"
BLOCK = b'{"type":"text","text":"\\ud83d\\ude00"}'
ESCAPED = b'{"\\u0074ype":"\\u0061ssistant\\/message","data":{"message":{"content":[%b]}}}' % BLOCK
LOGS = {
    "a message": jsonl(header(), attempt(WORDS), turn_start(2)) + line(message(WORDS, seq=2)) + jsonl(turn_end()),
    "escapes": jsonl(header(), ESCAPED, turn_end("max-tokens")),
    "a stream": line(header()) + line(attempt("ä", "b")) + line(end_seed()) + line(attempt(WORDS)) + line(attempt("c")),
    "an earlier text": jsonl(message(WORDS), message({"type": "reasoning", "text": "r"}), turn_end())[:-1],
}
Cut = Callable[[bytes, bytes], bytes]


def sized(log: bytes) -> bytes:
    return zstd.compress(log, options=CHECKSUM)


def unsized(log: bytes) -> bytes:
    encoder = zstd.ZstdCompressor()
    return encoder.compress(log) + encoder.flush()


def skippable(size: int) -> bytes:
    return b"\x53\x2a\x4d\x18" + size.to_bytes(4, "little") + b"\x28\xb5\x2f\xfd"[:size].ljust(size, b"\x00")


CUTS: dict[str, Cut] = {
    "two frames": lambda one, two: sized(one) + sized(two),
    "an empty frame between": lambda one, two: sized(one) + sized(b"") + skippable(0) + sized(two) + sized(b""),
    "what is skipped between": lambda one, two: skippable(3) + sized(one) + skippable(40) + sized(two) + skippable(8),
    "one that states no size": lambda one, two: sized(one) + unsized(two),
    "two that state no size": lambda one, two: unsized(one) + unsized(b"") + unsized(two),
    "members": lambda one, two: gzipped(one) + gzipped(b"") + gzipped(two),
}


def said(selection: Selection) -> Any:
    return answer(selection, "line")


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS.keys())
@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS.keys())
def test_a_border_at_every_byte(engine: ModuleType, log: bytes, cut: Cut) -> None:
    plain = said(engine.read_bytes(log))
    for at in range(len(log) + 1):
        file = cut(log[:at], log[at:])
        assert said(engine.read_bytes(file)) == plain, at
        assert said(engine.read(io.BytesIO(file))) == plain, at
        if at % 5 == 0:
            assert said(engine.read(Dribble(file, 1 + at % 7))) == plain, at


@pytest.mark.parametrize("pack", [sized, unsized, gzipped])
@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS.keys())
def test_a_frame_for_every_few_bytes(engine: ModuleType, log: bytes, pack: Callable[[bytes], bytes]) -> None:
    plain = said(engine.read_bytes(log))
    for step in (1, 2, 3, 7, 64):
        file = b"".join(pack(log[at : at + step]) for at in range(0, len(log), step))
        assert said(engine.read_bytes(file)) == plain
        assert said(engine.read(Dribble(file, 5))) == plain


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS.keys())
def test_a_damaged_frame_between_lines(engine: ModuleType, log: bytes) -> None:
    """spec S7.13: before the winner it never counts; after it, it is the error, or skipped, wherever it stands."""
    spoilt = bytearray(sized(b"x" * 50 + b"\n"))
    spoilt[-1] ^= 1
    places = [0]
    for part in lines(log):
        places.append(places[-1] + len(part))
    for at in places:
        file = sized(log[:at]) + bytes(spoilt) + sized(log[at:])
        whole = log[:at] + (b"" if log[:at].endswith(b"\n") or not at else b"\n") + b"assistant/\n" + log[at:]
        skipped, wanted = engine.read_bytes(file, on_malformed="skip"), engine.read_bytes(whole, on_malformed="skip")
        assert (skipped.output, skipped.warnings) == (wanted.output, wanted.warnings), at
        if SelectionWarning.MALFORMED_SKIPPED not in wanted.warnings:
            assert engine.read_bytes(file).output == wanted.output
            continue
        for read in (engine.read_bytes, lambda file: engine.read(Dribble(file, 9))):
            with pytest.raises(MalformedEventError) as caught:
                read(file)
            assert (caught.value.kind, caught.value.offset) == ("damaged_frame", at)


# --- large ones, for the engine with windows and threads; the pure one would need minutes.


def framed(log: bytes, size: int, pack: Callable[[bytes], bytes] = sized) -> bytes:
    return b"".join(pack(log[at : at + size]) for at in range(0, len(log), size))


def ways(rust: ModuleType, file: bytes, path: Path, **options: Any) -> Iterator[Selection]:
    path.write_bytes(file)
    yield rust.read_bytes(file, **options)
    yield rust.read(path, threads=3, **options)
    yield rust.read(Dribble(file, 77_777), **options)


@pytest.fixture
def rust(both_engines: Any) -> ModuleType:
    engine: ModuleType = both_engines.rust
    return engine


BORDERS = (4 * KIB, 16 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, MIB)


@pytest.mark.parametrize("size", BORDERS)
def test_messages_across_frames_of_many_sizes(rust: ModuleType, size: int, log_path: Path) -> None:
    """The message begins before, at and after a border of frames of that size, from the start of the log."""
    after = Log().fill(size // 2 + 9 * KIB).parts
    tail = b"".join(reversed(after))
    head = line(header())
    for begin in (size - len(ANSWER), size - len(ANSWER) // 2, size - 1, size, size + 1):
        lead = head + noise(begin - len(head)) + ANSWER
        data = lead + tail
        for pack in (sized, unsized, gzipped):
            for selection in ways(rust, framed(data, size, pack), log_path):
                assert (selection.text, selection.seq, selection.offset) == ("the answer", 7, begin)
                assert selection.warnings == ()


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_frames_as_large_as_they_may_be(rust: ModuleType, extra: int, log_path: Path) -> None:
    """spec S7.14: frames of 16 MiB are read from the end, larger ones from the start, with the same answer."""
    size = 16 * MIB + extra
    data = Log().fill(size + 3 * KIB, 50_021).before(ANSWER).fill(2 * size + 20, 50_021).bytes()
    offset = len(data) - size - 3 * KIB - len(ANSWER)
    for selection in ways(rust, framed(data, size), log_path):
        assert (selection.text, selection.offset) == ("the answer", offset)


@pytest.mark.parametrize("size", [100_000, MIB, 3 * MIB])
def test_streams_across_frames(rust: ModuleType, size: int, log_path: Path) -> None:
    """Text and its place, where no message speaks, with a seed marker among it; lines are longer than some frames."""
    pieces = [f"<{n} {WORDS}>" for n in range(30)]
    log = Log()
    for n, piece in reversed(list(enumerate(pieces))):
        if n == 9:
            log.before(line(end_seed()))
        log.before(line(attempt(piece, seq=n))).fill(log.size + 150_000, 140_003)
    data = log.bytes()
    first = data.index(line(attempt(pieces[10], seq=10)))
    for selection in ways(rust, framed(data, size), log_path):
        assert selection.text == "".join(pieces[10:])
        assert (selection.source, selection.seq, selection.offset) == ("stream", 10, first)


@pytest.mark.parametrize("border", [4 * KIB, 16 * KIB, 256 * KIB, 512 * KIB, MIB])
def test_a_damaged_frame_at_a_border(rust: ModuleType, border: int, log_path: Path) -> None:
    """spec S7.13: so many bytes before the end, before the winner and after it; of several the last is named."""
    spoilt = bytearray(sized(b"y" * 3_000))
    spoilt[-1] ^= 1
    end = b"".join(reversed(Log().fill(border).parts))
    early = b"".join(reversed(Log().before(ANSWER).fill(border + 100_000).parts))
    for before, after, counts in ((early, end, True), (end, early, False)):
        first = ANSWER if counts else b""
        file = sized(first + before) + bytes(spoilt) + framed(after, 90_000)
        at = len(first + before)
        for selection in ways(rust, file, log_path, on_malformed="skip"):
            assert selection.text == "the answer"
            assert (SelectionWarning.MALFORMED_SKIPPED in selection.warnings) is counts
        if not counts:
            for selection in ways(rust, file, log_path):
                assert selection.text == "the answer"
            continue
        for read in (rust.read_bytes, lambda file: rust.read(Dribble(file, 65_536))):
            with pytest.raises(MalformedEventError) as caught:
                read(file)
            assert (caught.value.kind, caught.value.offset) == ("damaged_frame", at)


def test_a_cut_file_with_a_frame_a_line(engine: ModuleType) -> None:
    """The end lies in every byte of the last frames: what is whole of it is the answer, with a warning."""
    parts = [line(message(str(n) + WORDS)) for n in range(3)]
    frames = [sized(part) for part in parts]
    file = b"".join(frames)
    for end in range(len(frames[0]), len(file)):
        kept = 0
        while sum(map(len, frames[: kept + 1])) <= end:
            kept += 1
        selection = engine.read_bytes(file[:end])
        is_torn = end != sum(map(len, frames[:kept]))
        # A last frame of which only the checksum is missing gives its line.
        texts = [json.loads(part)["data"]["message"]["content"][0]["text"] for part in parts]
        assert selection.text in texts[kept - 1 : kept + 1 if is_torn else kept]
        assert (SelectionWarning.TORN_TAIL in selection.warnings) is is_torn
