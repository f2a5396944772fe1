"""What stands across the borders of windows, blocks, stretches and threads (spec S5 threads, S6.2, S6.3).

The logs are larger than any of them: noise with a few records at known distances from the end. The oracle is how
they were made: nothing here parses a log. The pure engine reads the smaller ones too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conftest import load_engine
from dsh_events import attempt, end_seed, header, message, turn_end, turn_start
from lastsaid import MalformedEventError, Selection, SelectionWarning

KIB = 1 << 10
MIB = 1 << 20
# Where windows at the end of a log grow, blocks from its start end, and stretches for threads begin; sums of them too.
NEAR = (4 * KIB, 16 * KIB, 64 * KIB, 80 * KIB, 256 * KIB, 336 * KIB, 512 * KIB, MIB)
FAR = (2 * MIB, 8 * MIB, 8 * MIB + 512 * KIB, 16 * MIB, 32 * MIB)
# Looks like much and holds no needle; the second half is wide, escaped and braced.
WORDS = 'the tool printed {"a": [1, 2, "x"]} and C:\\dir\\u0101 "quoted", 文件 🎉 \t\n'


def line(event: Any) -> bytes:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def noise(size: int) -> bytes:
    """One line of noise of so many bytes, its LF included."""
    empty = line({"type": "tool/result", "data": ""})
    if size <= len(empty):
        return b" " * (size - 1) + b"\n"
    encoded = json.dumps(WORDS, ensure_ascii=False).encode()[1:-1]
    room = size - len(empty)
    body = encoded * (room // len(encoded))
    body += b"-" * (room - len(body))
    return empty.replace(b'""', b'"' + body + b'"')


@pytest.fixture
def rust() -> ModuleType:
    """The engine with windows and threads; the pure one would need minutes for such logs."""
    return load_engine("rust")


@dataclass
class Log:
    """A log made from its end to its start."""

    parts: list[bytes] = field(default_factory=list)
    size: int = 0

    def before(self, part: bytes) -> Log:
        """Put this in front."""
        self.parts.append(part)
        self.size += len(part)
        return self

    def fill(self, size: int, step: int = 3_001) -> Log:
        """Put noise in front until the log has so many bytes."""
        missing = size - self.size
        while missing > 0:
            part = noise(missing if missing < 2 * step else step)
            self.before(part)
            missing -= len(part)
        return self

    def bytes(self) -> bytes:
        return b"".join(reversed([*self.parts, line(header())]))


def ways(engine: ModuleType, log: bytes, path: Path, **options: Any) -> list[Selection]:
    """From memory and from a file, on one thread and on three."""
    path.write_bytes(log)
    return [
        engine.read_bytes(log, **options),
        engine.read(path, **options),
        engine.read_bytes(log, threads=2, **options),
        engine.read(path, threads=3, **options),
    ]


def places(border: int, size: int) -> list[int]:
    """Distances from the end at which `size` bytes may begin, so that the border falls before, into and after them."""
    inside = {border, border + 1, border + size // 2, border + size - 1, border + size, border - 1, border + 2}
    return sorted(place for place in inside if place >= size)


ANSWER = line(message("the answer", id="m", seq=7))


@pytest.mark.parametrize("border", NEAR)
def test_a_message_across_a_border(rust: ModuleType, border: int, log_path: Path) -> None:
    for place in places(border, len(ANSWER)):
        log = Log().before(line(turn_end())).fill(place - len(ANSWER)).before(ANSWER).fill(place + 40 * KIB).bytes()
        offset = len(log) - max(place, len(ANSWER) + len(line(turn_end())))
        for said in ways(rust, log, log_path):
            assert (said.text, said.seq, said.offset) == ("the answer", 7, offset), place
            assert (said.completeness, said.warnings) == ("complete", ())


@pytest.mark.parametrize("border", FAR)
def test_a_message_across_a_far_border(rust: ModuleType, border: int, log_path: Path) -> None:
    for place in (border, border + len(ANSWER) // 2, border + len(ANSWER)):
        log = Log().fill(place - len(ANSWER), 50_021).before(ANSWER).fill(place + 9 * MIB, 50_021).bytes()
        for said in ways(rust, log, log_path):
            assert (said.text, said.offset) == ("the answer", len(log) - place)


@pytest.mark.parametrize("border", [4 * KIB, 16 * KIB])
def test_both_engines_at_the_first_borders(engine: ModuleType, border: int, log_path: Path) -> None:
    for place in places(border, len(ANSWER)):
        log = Log().fill(place - len(ANSWER)).before(ANSWER).fill(place + 20 * KIB).bytes()
        for said in ways(engine, log, log_path):
            assert (said.text, said.offset) == ("the answer", len(log) - place)


@pytest.mark.parametrize("border", [*NEAR, 8 * MIB])
def test_text_streamed_on_both_sides_of_a_border(rust: ModuleType, border: int, log_path: Path) -> None:
    """The pieces in their order, the place of the first, whatever is walked in which window by which thread."""
    pieces = [f"<{n} 文🎉>" for n in range(40)]
    log = Log().before(line(message(seq=99)))
    for n, piece in reversed(list(enumerate(pieces))):
        log.before(line(attempt(piece, seq=n)))
        log.fill(max(log.size + 700, border - 20_000 + 1_000 * (len(pieces) - n)))
    data = log.fill(log.size + 600 * KIB).bytes()
    first = data.index(line(attempt(pieces[0], seq=0)))
    for said in ways(rust, data, log_path):
        assert said.text == "".join(pieces)
        assert (said.source, said.seq, said.offset, said.warnings) == ("stream", 0, first, ())


def test_a_message_early_and_streams_after_it(rust: ModuleType, log_path: Path) -> None:
    """Streams are left for later where a message speaks early; a seed marker may still take that message away."""
    tail = [line(attempt(f"{n},", seq=n)) for n in range(300)]
    for marker, expected in (
        (b"", ("message", "early")),
        (line(end_seed()), ("stream", "".join(f"{n}," for n in range(300)))),
    ):
        log = Log()
        for part in reversed(tail):
            log.before(part).fill(log.size + 60_000, 20_011)
        log.before(marker).fill(log.size + 1_000).before(line(message("early", seq=0)))
        data = log.bytes()
        assert len(data) > 17 * MIB
        for said in ways(rust, data, log_path):
            assert (said.source, said.text) == expected


def test_an_earlier_text_in_another_stretch(rust: ModuleType, log_path: Path) -> None:
    call = message({"type": "tool-call", "id": "c"}, seq=9)
    log = Log().before(line(turn_end("max-tokens"))).before(line(call)).fill(12 * MIB, 40_009)
    log.before(line(message({"type": "reasoning", "text": "hm"}, seq=8))).fill(20 * MIB, 40_009)
    spoken = log.size
    log.before(line(message("said before", id="s", seq=3))).fill(30 * MIB, 40_009)
    data = log.before(line(attempt("streamed first"))).bytes()
    for said in ways(rust, data, log_path):
        assert (said.source, said.seq, said.stop_reason, said.warnings) == (
            "message",
            9,
            "max-tokens",
            (SelectionWarning.TEXTLESS,),
        )
        assert said.earlier_text is not None
        assert (said.earlier_text.text, said.earlier_text.seq) == ("said before", 3)
        assert said.earlier_text.offset == len(data) - spoken - len(line(message("said before", id="s", seq=3)))


def test_an_earlier_text_that_was_streamed_in_another_stretch(rust: ModuleType, log_path: Path) -> None:
    call = line(message({"type": "tool-call", "id": "c"}, seq=9))
    log = Log().before(line(attempt("late"))).before(call).fill(18 * MIB, 40_009).before(line(attempt("ly", seq=2)))
    data = log.fill(26 * MIB, 40_009).before(line(attempt("ear", seq=1))).bytes()
    for said in ways(rust, data, log_path):
        assert said.earlier_text is not None
        assert (said.earlier_text.text, said.earlier_text.source, said.earlier_text.seq) == ("early", "stream", 1)


def test_what_is_streamed_between_messages_without_text_counts_for_nothing(rust: ModuleType, log_path: Path) -> None:
    call = line(message({"type": "tool-call", "id": "c"}, seq=9))
    thought = line(message({"type": "reasoning", "text": "hm"}, seq=5))
    for gap in (100, 9 * MIB, 18 * MIB):
        log = Log().before(call).before(line(attempt("between"))).fill(gap, 40_009).before(thought)
        data = log.before(line(attempt("early", seq=1))).fill(gap + 12 * MIB, 40_009).bytes()
        for said in ways(rust, data, log_path):
            assert said.earlier_text is not None
            assert (said.earlier_text.text, said.earlier_text.source, said.earlier_text.seq) == ("early", "stream", 1)


BAD = b'{"type":"assistant/message","data":{"message":{"content":"no list"}}}\n'
BROKEN = b'{"type":"assistant/attempt","data"\n'
ODD_STREAM = b'{"type":"assistant/attempt","data":{"stream":[1]}}\n'


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        # From the end to the start, each in a stretch of its own; the number of the one that is the error.
        ([BAD, ANSWER, BROKEN], 0),
        ([ANSWER, BAD, BROKEN], None),
        ([BROKEN, BAD, line(attempt("a"))], 0),
        ([ODD_STREAM, line(attempt("a")), ODD_STREAM], 2),
        ([ODD_STREAM, BAD, ODD_STREAM], 1),
        ([ODD_STREAM, ANSWER, ODD_STREAM], None),
    ],
    ids=str,
)
def test_defects_in_several_stretches(rust: ModuleType, parts: list[bytes], named: int | None, log_path: Path) -> None:
    """spec S7 Order, as if one thread had read it in one piece; and what is skipped is counted for the warning."""
    log, offsets = Log(), []
    for part in parts:
        log.before(part)
        offsets.append(log.size)
        log.fill(log.size + 9 * MIB, 30_011)
    data = log.bytes()
    if named is None:
        for said in ways(rust, data, log_path):
            assert (said.text, said.warnings) == ("the answer", ())
        return
    for options in ({}, {"threads": 3}):
        with pytest.raises(MalformedEventError) as caught:
            rust.read_bytes(data, **options)
        assert caught.value.offset == len(data) - offsets[named]
        assert caught.value.line == data.count(b"\n", 0, caught.value.offset) + 1
    for said in ways(rust, data, log_path, on_malformed="skip"):
        assert SelectionWarning.MALFORMED_SKIPPED in said.warnings
        assert said.text == ("the answer" if ANSWER in parts else "a" if line(attempt("a")) in parts else "")


@pytest.mark.parametrize("kind", ["whole", "turn", "since", "start", "from the end"])
def test_parts_of_a_log_in_stretches(rust: ModuleType, kind: str, log_path: Path) -> None:
    marks = [turn_start(n, seq=10 * n) for n in range(5)]
    log = Log()
    for n in reversed(range(5)):
        log.before(line(turn_end(seq=10 * n + 9))).fill(log.size + 5 * MIB, 30_011)
        log.before(line(message(f"turn {n}", seq=10 * n + 1))).before(line(marks[n]))
    data = log.bytes()
    records = data.count(b"\n")
    answers: dict[str, list[tuple[dict[str, Any], str | None]]] = {
        "whole": [({"suffix": "whole"}, "turn 4")],
        "turn": [({"turn": n}, f"turn {n}") for n in range(5)],
        "since": [({"since_seq": 41}, "turn 4"), ({"since_seq": 42}, None), ({"since_seq": 30}, "turn 4")],
        "start": [({"start": 2}, "turn 4"), ({"start": records - 3}, None)],
        "from the end": [({"start": -3}, None), ({"start": -records}, "turn 4")],
    }
    for options, expected in answers[kind]:
        for said in ways(rust, data, log_path, **options):
            assert said.text == (expected or ""), options
            assert (SelectionWarning.EMPTY_SUFFIX in said.warnings) is (expected is None)


@pytest.mark.parametrize("size", [MIB - 1, MIB, MIB + 1, 3 * MIB, 20 * MIB])
@pytest.mark.parametrize("is_candidate", [False, True])
def test_lines_longer_than_any_window(rust: ModuleType, size: int, is_candidate: bool, log_path: Path) -> None:
    """A broken line is passed over if it holds no needle, and else the error: wherever in it that stands."""
    needles = [0, size // 2, size - 40] if is_candidate else [None]
    for at in needles:
        body = bytearray(b"x" * (size - 1) + b"\n")
        if at is not None:
            body[at : at + 10] = b"assistant/"
        log = Log().before(line(turn_end())).before(bytes(body)).before(ANSWER).fill(size + 3 * MIB, 90_001)
        data = log.bytes()
        if at is None:
            for said in ways(rust, data, log_path):
                assert (said.text, said.warnings) == ("the answer", ())
            continue
        with pytest.raises(MalformedEventError, match="not JSON"):
            rust.read_bytes(data, threads=2)
        with pytest.raises(MalformedEventError, match=rf"{size - 1} bytes long, expected at most 9000"):
            rust.read_bytes(data, max_record_bytes=9_000)
        for said in ways(rust, data, log_path, on_malformed="skip", max_record_bytes=9_000):
            assert (said.text, said.warnings) == ("the answer", (SelectionWarning.MALFORMED_SKIPPED,))


@pytest.mark.parametrize("size", [MIB, 20 * MIB])
def test_a_message_longer_than_any_window(rust: ModuleType, size: int, log_path: Path) -> None:
    words = "0123456789abcdé" * (size // 16)
    data = Log().fill(5 * KIB).before(line(message(words, seq=3))).fill(size + 2 * MIB, 90_001).bytes()
    for said in ways(rust, data, log_path):
        assert (said.text, said.seq) == (words, 3)


def test_sessions_in_several_stretches(rust: ModuleType, log_path: Path) -> None:
    def enveloped(session: str, words: str) -> bytes:
        return line({"type": "session_event", "sessionId": session, "event": message(words)})

    log = (
        Log()
        .before(enveloped("a", "last"))
        .fill(10 * MIB, 40_009)
        .before(enveloped("b", "other"))
        .fill(20 * MIB, 40_009)
    )
    data = log.bytes()
    for options in ({}, {"threads": 3}):
        with pytest.raises(MalformedEventError) as caught:
            rust.read_bytes(data, **options)
        assert (caught.value.kind, caught.value.offset) == (
            "wrong_session",
            data.index(b'{"type":"session_event","sessionId":"a"'),
        )
