"""Logs that are one JSON array document (S7 Arrays)."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from differential.choice import Choice
from differential.comparison import Difference, Said, of_each, same, told, without
from differential.damage import bad_record, spoilt
from differential.encoding import array
from differential.grammar import Grammar
from differential.kinds.logs import WORDS as OPTION_WORDS
from differential.kinds.logs import drawn_options, drawn_way, options_of, read_from
from differential.text import is_json, rendered

WEIGHT = 10
WORDS = OPTION_WORDS


def offered(engine: ModuleType) -> bool:
    return "session" in options_of(engine)


def draw(choice: Choice) -> dict[str, Any]:
    damage = choice.of((0.0, 0.0, 0.3, 1.0))
    grammar = Grammar(choice, odd=damage / 5)
    records = [rendered(event, choice) for event in grammar.events(5) if is_json(event)]
    if damage and choice.chance(0.3):
        records.insert(choice.below(len(records) + 1), bad_record(choice))
    document = array(records, choice, damage=damage)
    if damage and choice.chance(0.2):
        document = spoilt(document, choice)
    return {"log": document, "options": drawn_options(choice, document), "way": drawn_way(choice, document)}


@of_each
def ask(engine: ModuleType, data: dict[str, Any]) -> Said:
    log, options, way = data["log"], data["options"], data["way"]
    found: Said = [
        ("read_bytes", told(engine.read_bytes, log, **options)),
        (f"read in pieces of {way}", told(read_from, engine, log, way, options)),
    ]
    if hasattr(engine, "check"):
        found.append(("check", told(engine.check, log)))
    return found


def laws(said: Said, data: dict[str, Any]) -> Iterator[Difference]:
    """An array is read forward from every source, so here even the lines are the same."""
    (name, first), (way, second) = said[:2]
    lines = () if data["log"].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[") else ("line",)
    if not same(without(first, *lines), without(second, *lines)) and not same(
        without(first, "line"), without(second, "line")
    ):
        yield Difference(name, way, "the ways of reading one array", first, second)
