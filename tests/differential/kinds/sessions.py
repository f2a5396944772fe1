"""Logs of several sessions, told apart and explained (S4 Sessions of a log, S5 `session=`, S9 counts)."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from differential.choice import Choice
from differential.comparison import Difference, Said, of_each, same, told, without
from differential.kinds.logs import WORDS as OPTION_WORDS
from differential.kinds.logs import drawn_log, drawn_options, drawn_session, drawn_way, options_of, read_from

WEIGHT = 22
WORDS = OPTION_WORDS
# The options that `read_sessions` has too.
OF_ALL = ("suffix", "on_malformed", "max_record_bytes")


def offered(engine: ModuleType) -> bool:
    return "session" in options_of(engine) and hasattr(engine, "read_sessions")


def draw(choice: Choice) -> dict[str, Any]:
    log = drawn_log(choice, sessions=choice.of((0, 1, 2, 2, 2)))
    options = drawn_options(choice, log)
    session = drawn_session(choice)
    if session is not None:
        options["session"] = session
    return {"log": log, "options": options, "way": drawn_way(choice, log), "explain": choice.chance(0.5)}


@of_each
def ask(engine: ModuleType, data: dict[str, Any]) -> Said:
    log, options, way = data["log"], data["options"], data["way"]
    found: Said = [
        ("read_bytes", told(engine.read_bytes, log, **options)),
        (f"read in pieces of {way}", told(read_from, engine, log, way, options)),
    ]
    if data["explain"]:
        explained = {**options, "explain": True}
        found.append(("explained", told(engine.read_bytes, log, **explained)))
        found.append((f"explained in pieces of {way}", told(read_from, engine, log, way, explained)))
        return found
    of_all = {name: options[name] for name in OF_ALL if name in options}
    found.append(("read_sessions", told(engine.read_sessions, log, **of_all)))
    if set(of_all) == set(options) - {"session"}:
        for session in found[-1][1].get("answer", ()):
            found.append((f"session {session!r}", told(engine.read_bytes, log, session=session, **of_all)))
    return found


def laws(said: Said, data: dict[str, Any]) -> Iterator[Difference]:
    found = dict(said)
    (name, first), (way, second) = said[:2]
    if not same(without(first, "line"), without(second, "line")):
        yield Difference(name, way, "the ways of reading one log", first, second)
    for name, value in said[2:]:
        if name.startswith("explained"):
            bare = without(value, "counts", "candidates", "line")
            if not same(bare, without(first, "counts", "candidates", "line")):
                yield Difference("read_bytes", name, "explaining changes nothing", first, value)
        elif name.startswith("session "):
            of_all = {"answer": found["read_sessions"]["answer"][_named(name)]}
            if not same(without(of_all, "line"), without(value, "line")):
                yield Difference("read_sessions", name, "one session of all", of_all, value)


def _named(name: str) -> Any:
    return literal_eval(name.removeprefix("session "))
