"""Single records as JSON text, spoilt in every way, and lines of them (S5 `push_json`, S7)."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from differential.choice import Choice
from differential.comparison import Difference, Said, of_each, same, state, told
from differential.damage import BOM, bad_record, spoilt
from differential.grammar import Grammar
from differential.text import is_json, rendered

WEIGHT = 22
WORDS: frozenset[str] = frozenset()


def offered(engine: ModuleType) -> bool:
    return hasattr(engine.AssistantOutputFold, "push_json")


def drawn_record(choice: Choice, grammar: Grammar) -> bytes:
    if choice.chance(0.08):
        return bad_record(choice)
    event = grammar.bare()
    if choice.chance(0.2):
        event = grammar.enveloped(event, choice.of(("s1", "s1", "s2", 3)))
    if not is_json(event):
        event = {}
    record = rendered(event, choice)
    if choice.chance(0.6):
        record = spoilt(record, choice)
    return BOM + record if choice.chance(0.05) else record


def draw(choice: Choice) -> dict[str, Any]:
    grammar = Grammar(choice, odd=choice.of((0.0, 0.1)))
    return {"records": [drawn_record(choice, grammar) for _ in range(choice.between(1, 4))], "as": choice.below(4)}


def _shown(record: bytes, how: int) -> Any:
    """The record as one of the types that are taken; a str where its bytes are UTF-8."""
    if how == 1:
        return bytearray(record)
    if how == 2:
        return memoryview(record)
    if how == 3:
        try:
            return record.decode()
        except UnicodeDecodeError:
            return record
    return record


@of_each
def ask(engine: ModuleType, data: dict[str, Any]) -> Said:
    records = [_shown(record, data["as"]) for record in data["records"]]
    lines = _shown(b"\n".join(data["records"]), data["as"])
    found: Said = []
    fold = engine.AssistantOutputFold()
    for number, record in enumerate(records):
        found.append((f"push_json {number}", told(fold.push_json, record)))
        found.append((f"state {number}", state(fold)))
    found.append(("selection", told(fold.selection)))
    fold = engine.AssistantOutputFold()
    found.append(("extend_json", told(fold.extend_json, records)))
    found.append(("its state", state(fold)))
    found.append(("extend_json of lines", told(fold.extend_json, lines)))
    found.append(("its state then", state(fold)))
    return found


def laws(said: Said, data: dict[str, Any]) -> Iterator[Difference]:
    """A record that fails leaves the fold as it was (S7)."""
    pushes = [value for name, value in said if name.startswith("push_json")]
    states = [value for name, value in said if name.startswith("state")]
    for number in range(1, len(pushes)):
        if "error" in pushes[number] and not same(states[number - 1], states[number]):
            yield Difference("before", "after", f"record {number} failed", states[number - 1], states[number])
