"""Every way into an engine, so that a case can be asked through all of them."""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from lastsaid import MalformedEventError, Selection, SessionNotFoundError, TurnNotFoundError

Way = Callable[[], Any]


class Dribble(io.RawIOBase):
    """A binary stream that can't be sought and gives a few bytes at a time."""

    def __init__(self, data: bytes, step: int = 4093) -> None:
        self.data = data
        self.step = step
        self.at = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self.data[self.at : self.at + min(self.step, len(buffer))]
        buffer[: len(piece)] = piece
        self.at += len(piece)
        return len(piece)


@contextmanager
def pipe(data: bytes) -> Iterator[io.FileIO]:
    """A real pipe that a thread fills."""
    reading, writing = os.pipe()

    def fill() -> None:
        try:
            with open(writing, "wb") as file:
                file.write(data)
        except BrokenPipeError:
            pass  # The reader had its answer, or its error, before the end.

    thread = threading.Thread(target=fill)
    thread.start()
    try:
        with open(reading, "rb", buffering=0) as file:
            yield file
    finally:
        thread.join(timeout=30)
        assert not thread.is_alive()


def canonical(value: Any) -> str:
    """Canonical JSON: what answers are compared as. Lone surrogates become escapes."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, default=repr)


def answer(selection: Selection, *without: str) -> dict[str, Any]:
    """Everything a Selection says but for the engine (and `without`), also of the earlier text."""
    found = selection.to_dict()
    for key in ("engine", *without):
        del found[key]
        if found["earlierText"]:
            found["earlierText"].pop(key, None)
    return found


def failure(error: Exception) -> dict[str, Any]:
    """Everything an error says."""
    found: dict[str, Any] = {"class": type(error).__name__, "message": str(error)}
    if isinstance(error, MalformedEventError):
        for name in ("kind", "path", "found", "expected", "index", "offset", "line"):
            found[name] = getattr(error, name)
    if isinstance(error, TurnNotFoundError):
        found["turn"], found["turns"] = error.turn, list(error.turns)
    if isinstance(error, SessionNotFoundError):
        found["session"], found["sessions"] = error.session, list(error.sessions)
    return found


def outcome(way: Way, *without: str) -> dict[str, Any]:
    """What a way answers or raises, as something that can be compared."""
    try:
        said = way()
    except Exception as error:
        return {"error": {key: value for key, value in failure(error).items() if key not in without}}
    return {"answer": answer(said, *without) if isinstance(said, Selection) else said}


def without_line(found: dict[str, Any]) -> dict[str, Any]:
    """An outcome without the line of its place, which only some ways can know (S9)."""
    if "error" in found:
        return found
    said = {key: value for key, value in found["answer"].items() if key != "line"}
    if said["earlierText"]:
        said["earlierText"] = {key: value for key, value in said["earlierText"].items() if key != "line"}
    return {"answer": said}


def seekable_ways(engine: ModuleType, log: bytes, options: dict[str, Any], path: Path) -> dict[str, Way]:
    """The ways that read a log from its end."""

    def opened() -> Selection:
        with path.open("rb") as file:
            return engine.read(file, **options)

    path.write_bytes(log)
    return {
        "read_bytes": lambda: engine.read_bytes(log, **options),
        "read_bytes of a bytearray": lambda: engine.read_bytes(bytearray(log), **options),
        "read of a path": lambda: engine.read(path, **options),
        "read of a string path": lambda: engine.read(str(path), **options),
        "read of a file": opened,
        "read of BytesIO": lambda: engine.read(io.BytesIO(log), **options),
    }


def forward_ways(engine: ModuleType, log: bytes, options: dict[str, Any]) -> dict[str, Way]:
    """The ways that read a log from its start."""

    def piped() -> Selection:
        with pipe(log) as file:
            return engine.read(file, **options)

    return {
        "read of a raw stream": lambda: engine.read(Dribble(log), **options),
        "read of a stream in small pieces": lambda: engine.read(Dribble(log, 1 if len(log) < 1500 else 61), **options),
        "read of a pipe": piped,
    }


def list_ways(engine: ModuleType, events: list[Any], start: int) -> dict[str, Way]:
    """The ways for parsed events that know the whole list."""
    return {
        "select of a list": lambda: engine.select(events, start),
        "select of a tuple": lambda: engine.select(tuple(events), start),
        "select of an iterator": lambda: engine.select(iter(events), start),
    }


def fold_ways(engine: ModuleType, lines: list[bytes], events: list[Any]) -> dict[str, Way]:
    """The ways through a fold, which knows what it was fed and nothing else."""

    def fed(feed: Callable[[Any], object]) -> Way:
        def way() -> Selection:
            fold = engine.AssistantOutputFold()
            feed(fold)
            return fold.selection()

        return way

    return {
        "push": fed(lambda fold: [fold.push(event) for event in events]),
        "extend": fed(lambda fold: fold.extend(events)),
        "extend of an iterator": fed(lambda fold: fold.extend(iter(events))),
        "push_json of bytes": fed(lambda fold: [fold.push_json(line) for line in lines]),
        "push_json of str": fed(lambda fold: [fold.push_json(line.decode()) for line in lines]),
        "extend_json of records": fed(lambda fold: fold.extend_json(lines)),
        "extend_json of lines": fed(lambda fold: fold.extend_json(b"\n".join(lines))),
        "extend_json of a str of lines": fed(lambda fold: fold.extend_json(b"\n".join(lines).decode() + "\n")),
    }


def texts_of(answers: Any) -> list[str]:
    """What the results of `read_many` say; errors as they show themselves."""
    return [answer.text if isinstance(answer, Selection) else repr(answer) for answer in answers]
