"""How people get the answer out of a log today, from a path and from bytes; each gives the output blocks.

They trust their log: no validation, no bad lines, no torn tail, no suffix, no provenance. The engines do all of that.
"""

from __future__ import annotations

import io
import json
import mmap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import orjson

from contenders import installed
from peers.events import Blocks, add_texts, forward, joined

Parse = Callable[[bytes], dict[str, Any]]
Lines = Iterable[bytes]


def parse_loop(parse: Parse, lines: Lines) -> Blocks:
    """The loop that people write."""
    return forward(map(parse, lines))


def prefix_loop(lines: Lines) -> Blocks:
    """The same, of someone who knows how lines begin: wrong as soon as a key comes first that wasn't first before."""
    return forward(orjson.loads(line) for line in lines if line.startswith(b'{"type":"assistant/'))


def clever(buffer: bytes | mmap.mmap, lines: Lines) -> Blocks:
    """Search back for a message; without one, parse only the lines that can hold streamed text."""
    at = len(buffer)
    while (at := buffer.rfind(b'"assistant/message"', 0, at)) >= 0:
        start = buffer.rfind(b"\n", 0, at) + 1
        end = buffer.find(b"\n", at)
        event = orjson.loads(buffer[start : end if end >= 0 else len(buffer)])
        if event["type"] == "assistant/message" and event["data"]["message"]["content"]:
            content: Blocks = event["data"]["message"]["content"]
            return content
        at = start
    return forward(orjson.loads(line) for line in lines if b'"assistant/' in line)


def clever_file(path: Path) -> Blocks:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        return clever(mapped, iter(mapped.readline, b""))


def msgspec_loop() -> Callable[[Lines], Blocks]:
    """Typed: only the fields that matter are built."""
    from peers.typed import read

    return read


def pysimdjson_loop() -> Callable[[Lines], Blocks]:
    """One parser, whose document is a view: only what matters becomes Python objects."""
    import simdjson

    parser = simdjson.Parser()

    def read(lines: Lines) -> Blocks:
        content = None
        texts: list[str] = []
        for line in lines:
            event = parser.parse(line)
            kind = event["type"]
            if kind == "assistant/message":
                content = event.at_pointer("/data/message/content").as_list() or content
            if content is None and kind in ("assistant/message", "assistant/attempt"):
                add_texts({"data": {"stream": event.at_pointer("/data/stream").as_list()}}, texts)
            # The parser refuses the next document while one is alive.
            del event
        return content if content is not None else joined(texts)

    return read


def fastsimdjson_loop() -> Callable[[Lines], Blocks]:
    """Lazy views: only what matters becomes Python objects."""
    from fastsimdjson import parse

    def read(lines: Lines) -> Blocks:
        content = None
        texts: list[str] = []
        for line in lines:
            event = parse(line)
            kind = event["type"]
            if kind == "assistant/message":
                content = event.at_pointer("/data/message/content").as_list() or content
            if content is None and kind in ("assistant/message", "assistant/attempt"):
                add_texts({"data": {"stream": event.at_pointer("/data/stream").as_list()}}, texts)
        return content if content is not None else joined(texts)

    return read


@dataclass(frozen=True, slots=True)
class Peer:
    """A reader of logs, made when it is needed, so that a package that isn't there is missing alone."""

    module: str
    made: Callable[[], Callable[[Lines], Blocks]]

    @property
    def missing(self) -> str | None:
        return installed(self.module)


LOOPS: Final[dict[str, Peer]] = {
    "orjson loop": Peer("orjson", lambda: partial(parse_loop, orjson.loads)),
    "orjson loop, prefix test": Peer("orjson", lambda: prefix_loop),
    "json loop": Peer("json", lambda: partial(parse_loop, json.loads)),
    "msgspec typed": Peer("msgspec", msgspec_loop),
    "pysimdjson": Peer("simdjson", pysimdjson_loop),
    "fastsimdjson lazy": Peer("fastsimdjson", fastsimdjson_loop),
}
CLEVER: Final = "mmap.rfind + orjson"
NAMES: Final = (*LOOPS, CLEVER)


def file_reader(name: str) -> Callable[[Path], Blocks]:
    if name == CLEVER:
        return clever_file
    loop = LOOPS[name].made()

    def read(path: Path) -> Blocks:
        with path.open("rb") as file:
            return loop(file)

    return read


def bytes_reader(name: str) -> Callable[[bytes], Blocks]:
    if name == CLEVER:
        return lambda data: clever(data, io.BytesIO(data))
    loop = LOOPS[name].made()
    return lambda data: loop(io.BytesIO(data))


def zstd_reader() -> Callable[[Path], Blocks]:
    """zstandard's stream over all frames, and an orjson loop over its lines."""
    import zstandard

    def read(path: Path) -> Blocks:
        with path.open("rb") as file:
            reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
            return forward(map(orjson.loads, io.BufferedReader(reader, 1 << 20)))

    return read
