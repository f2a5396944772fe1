"""Lists, tuples and iterators of events, from any start (S5, S6.3)."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from differential.choice import Choice
from differential.comparison import Difference, Said, of_each, same, told
from differential.grammar import Grammar

WEIGHT = 14
WORDS: frozenset[str] = frozenset()


def offered(engine: ModuleType) -> bool:
    return hasattr(engine, "select")


def draw(choice: Choice) -> dict[str, Any]:
    odd = choice.of((0.0, 0.03, 0.2))
    return {
        "events": Grammar(choice, odd=odd, python=odd > 0).events(),
        "start": choice.of((0, 0, choice.between(-6, 9))),
    }


@of_each
def ask(engine: ModuleType, data: dict[str, Any]) -> Said:
    events, start = data["events"], data["start"]
    return [
        ("select of a list", told(engine.select, events, start)),
        ("select of an iterator", told(engine.select, iter(events), start)),
        ("select of a tuple", told(engine.select, tuple(events), start)),
        ("output", told(engine.final_assistant_output, events, start)),
        ("suffix_start", told(engine.suffix_start, events)),
    ]


def laws(said: Said, data: dict[str, Any]) -> Iterator[Difference]:
    found = dict(said)
    first = found["select of a list"]
    for name in ("select of an iterator", "select of a tuple"):
        # A negative start of an iterator holds it in memory, and is the same.
        if not same(first, found[name]):
            yield Difference("select of a list", name, "the ways of walking one list", first, found[name])
    output = {"answer": first["answer"]["output"]} if "answer" in first else first
    if not same(output, found["output"]):
        yield Difference(
            "select of a list", "final_assistant_output", "the output of one list", output, found["output"]
        )
