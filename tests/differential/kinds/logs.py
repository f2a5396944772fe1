"""Logs as bytes, files and streams, with every option of `read` (S5, S6.3, S7)."""

from __future__ import annotations

import inspect
import io
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

from differential.choice import Choice
from differential.comparison import Difference, Said, of_each, same, told, without
from differential.damage import log_of, stretched
from differential.grammar import SESSIONS, Grammar
from differential.text import is_json, rendered
from ways import Dribble

WEIGHT = 36
# How often a log is as long as the blocks in which it is read; that takes ten to a hundred times longer.
LONG = 0.005

WORDS = frozenset({"own", "whole", "raise", "skip"})


@cache
def options_of(engine: ModuleType) -> frozenset[str]:
    """The names of the options that this engine's `read_bytes` knows."""
    return frozenset(inspect.signature(engine.read_bytes).parameters)


def offered(engine: ModuleType) -> bool:
    return hasattr(engine, "read_bytes")


def drawn_log(choice: Choice, *, sessions: int | None = None, damage: float | None = None) -> bytes:
    """A log, rather small: what it holds is sound, a little odd, or hostile."""
    if damage is None:
        damage = choice.of((0.0, 0.1, 0.4, 1.0))
    grammar = Grammar(choice, odd=choice.of((0.0, 0.03, 0.2)) if damage else 0.0)
    lines = [rendered(event, choice) for event in grammar.events(sessions=sessions) if is_json(event)]
    return log_of(lines, choice, damage)


def drawn_options(choice: Choice, log: bytes) -> dict[str, Any]:
    options: dict[str, Any] = {}
    roll = choice.random()
    if roll < 0.15:
        options["suffix"] = choice.of(("own", "whole"))
    elif roll < 0.3:
        options["start"] = choice.between(-6, 9)
    elif roll < 0.45:
        options["turn"] = choice.between(-1, 4)
    elif roll < 0.6:
        options["since_seq"] = choice.of((choice.between(-1, 13), 2**53))
    if choice.chance(0.35):
        options["on_malformed"] = "skip"
    if choice.chance(0.12):
        # Beside the length of some line, where limits are wrong by one.
        lengths = [len(line) for line in log.split(b"\n")]
        options["max_record_bytes"] = max(1, choice.of(lengths) + choice.between(-1, 1))
    return options


def drawn_way(choice: Choice, log: bytes) -> int:
    """0 is a file, else a stream that gives so many bytes at a time; in small pieces only what is short."""
    if choice.chance(0.4):
        return 0
    return 1 << 20 if choice.chance(0.3) else max(1, len(log) // 60) + choice.below(7)


def draw(choice: Choice) -> dict[str, Any]:
    log = drawn_log(choice)
    options = drawn_options(choice, log)
    way = drawn_way(choice, log)
    if choice.chance(LONG):
        log, way = stretched(log, choice), choice.of((0, 100_000))
    return {"log": log, "options": options, "way": way}


def read_from(engine: ModuleType, log: bytes, way: int, options: dict[str, Any]) -> Any:
    """Read a log from a file or stream that holds it."""
    return engine.read(Dribble(log, way) if way else io.BytesIO(log), **options)


@of_each
def ask(engine: ModuleType, data: dict[str, Any]) -> Said:
    log, options, way = data["log"], data["options"], data["way"]
    return [
        ("read_bytes", told(engine.read_bytes, log, **options)),
        (f"read in pieces of {way}", told(read_from, engine, log, way, options)),
    ]


def laws(said: Said, data: dict[str, Any]) -> Iterator[Difference]:
    """Whichever way a log is read, the answer is the same; only the line may be unknown (S9)."""
    (name, first), (way, second) = said[:2]
    if not same(without(first, "line"), without(second, "line")):
        yield Difference(name, way, "the ways of reading one log", first, second)


def drawn_session(choice: Choice) -> str | None:
    return choice.of((None, None, *SESSIONS, "none"))
