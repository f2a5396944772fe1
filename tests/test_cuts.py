"""A log cut at any byte, plain and compressed: the answer of what is whole of it, and never anything else (S7)."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import naive
from dsh_events import (
    attempt,
    chunk,
    end_seed,
    header,
    headless,
    jsonl,
    message,
    notification,
    packed,
    turn_end,
    turn_start,
)
from lastsaid import SessionNotFoundError
from recoded import SOUGHT, STREAMED, Encoding, zstd
from ways import pipe

STARTED = {"jsonrpc": "2.0", "method": "subagent.started", "params": {"parentSessionId": "r", "childSessionId": "c"}}

EVENTS = [
    header(id="s1"),
    turn_start(1, seq=0),
    attempt("half ", "an answer", seq=1),
    message("first", seq=2),
    turn_end("max-tokens", seq=3),
    end_seed(inherited=True),
    turn_start(2, seq=5),
    attempt("again \U0001f600", seq=6),
    message("Ende gut: é", 'alles \\ "gut" [1,{2}]', seq=7),
    turn_end(seq=8),
]
PACKED = [
    header(0, seedLength=4),
    turn_start(1, seq=0),
    chunk("copied ", seq=1),
    packed(2, "also ", "this, ", "mine"),
    chunk(" too", seq=5),
    turn_end("aborted", seq=6),
]
FAMILY = [
    notification(turn_start(1, seq=0), "r"),
    notification(message("calling", seq=1), "r"),
    STARTED,
    notification(message("of the child", seq=0), "c"),
    notification(turn_end("error", seq=1), "c"),
    notification(message("of the root", seq=2), "r"),
    notification(turn_end(seq=3), "r"),
]
LOGS = {
    "events": jsonl(*EVENTS),
    "without an LF at the end": jsonl(*EVENTS[5:])[:-1],
    "a BOM and CRLF": b"\xef\xbb\xbf" + jsonl(*EVENTS[5:], b"").replace(b"\n", b"\r\n"),
    "packed rows": jsonl(*PACKED),
    "notifications": jsonl(*FAMILY),
    "headless": jsonl(*(headless(event, "h") for event in EVENTS[4:])),
    "two roots": jsonl(headless(EVENTS[3], "a"), headless(EVENTS[8], "b")),
    "an array": json.dumps(EVENTS[4:]).encode(),
    "a pretty array": json.dumps([*FAMILY[:1], *FAMILY[2:4], FAMILY[5]], indent=1).encode() + b"\n",
}
ENCODINGS: dict[str, Encoding] = {"plain": bytes, **STREAMED, **SOUGHT}
del ENCODINGS["zstd, a frame every 3 lines"]


def decompressed(file: bytes) -> tuple[bytes, bool]:
    """What a library makes of a file that may be cut, and whether it ends inside a frame."""
    log, is_gzip = b"", file.startswith(b"\x1f\x8b")
    while file:
        decoder = zlib.decompressobj(31) if is_gzip else zstd.ZstdDecompressor()
        log += decoder.decompress(file)
        if not decoder.eof:
            return log, True
        file = decoder.unused_data
    return log, False


def expected(file: bytes, *, is_plain: bool) -> dict[str, Any] | None:
    if is_plain or file[:2] not in (b"\x1f\x8b", b"\x28\xb5") or len(file) < 4:
        # What has no magic yet is a tail that is no JSON.
        return naive.answer(naive.whole(file, torn_frame=False) if is_plain else naive.Whole([], bool(file)))
    log, torn = decompressed(file)
    return naive.answer(naive.whole(log, torn_frame=torn))


def assert_whole(engine: ModuleType, source: Any, wanted: dict[str, Any] | None, way: str) -> None:
    """The answer of what is whole; where two sessions are, and none stands out, the error that says so."""
    read = engine.read_bytes if isinstance(source, bytes) else engine.read
    if wanted is None:
        with pytest.raises(SessionNotFoundError):
            read(source)
        return
    said = read(source).to_dict()
    assert {key: said[key] for key in wanted} == wanted, way


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS.keys())
@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS.keys())
def test_a_log_cut_at_any_byte_gives_what_is_whole(
    engine: ModuleType, encode: Encoding, log: bytes, log_path: Path
) -> None:
    """In memory at every byte of the smaller files; through a path and a pipe at some."""
    file = encode(log)
    stride = 1 + len(file) // 500
    for end in [*range(0, len(file), stride), *range(len(file) - stride, len(file) + 1)]:
        cut = file[:end]
        wanted = expected(cut, is_plain=encode is bytes)
        assert_whole(engine, cut, wanted, f"{end} bytes")
        if end % 29 == 0 or end == len(file) - 1:
            log_path.write_bytes(cut)
            assert_whole(engine, log_path, wanted, f"{end} bytes, of a path")
            with pipe(cut) as source:
                assert_whole(engine, source, wanted, f"{end} bytes, of a pipe")


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS.keys())
def test_zero_bytes_at_the_end_are_padding(engine: ModuleType, encode: Encoding) -> None:
    for log in LOGS.values():
        file = encode(log)
        wanted = expected(file, is_plain=encode is bytes)
        for zeros in (1, 3, 4, 5000):
            assert_whole(engine, file + b"\0" * zeros, wanted, f"{zeros} zero bytes")


def test_the_naive_answers_are_not_all_the_same() -> None:
    """A test of the test: the whole logs say what they were written to say."""
    said = {name: expected(log, is_plain=True) for name, log in LOGS.items()}
    texts = {name: "".join(block["text"] for block in one["output"]) for name, one in said.items() if one is not None}
    assert said["two roots"] is None
    assert texts["packed rows"] == "mine too"
    assert texts["notifications"] == texts["a pretty array"] == "of the root"
    assert texts["events"] == texts["an array"] == texts["a BOM and CRLF"] == texts["headless"]
    assert texts["events"].startswith("Ende gut")
