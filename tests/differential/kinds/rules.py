"""Sound events, every way in, against the oracle: what engines agree on must also be right (S2, S4, S6)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from differential import oracle
from differential.choice import Choice, split
from differential.comparison import Difference, Said, of_each, same_json, told
from differential.grammar import Grammar
from differential.text import is_json, rendered
from ways import Dribble

WEIGHT = 16
WORDS: frozenset[str] = frozenset()
NEEDLES = re.compile(rb"assistant/|text-chunks|turn/start|turn/end|end-seed|subagent[.]started|\\u00[2-7]|\\/")


def offered(engine: ModuleType) -> bool:
    return hasattr(engine, "select")


def draw(choice: Choice) -> dict[str, Any]:
    grammar = Grammar(choice)
    is_bare = choice.chance(0.6)
    # A log whose first record has no string type, or is an envelope, holds notifications: another rule (S4).
    events = [grammar.header()] if is_bare else []
    for _ in range(choice.below(10)):
        event = grammar.bare()
        if is_json(event) and event.get("method") not in ("subagent.started", "session.event"):
            events.append(event if is_bare else grammar.enveloped(event, "s1"))
    return {
        "events": events,
        "start": choice.between(-6, 9),
        "cuts": choice.cuts(len(events), 3),
        "seed": choice.below(1000),
    }


@of_each
def ask(engine: ModuleType, data: dict[str, Any]) -> Said:
    events, start = data["events"], data["start"]
    log = b"\n".join([*_lines(data), b""])
    found: Said = [("merge", told(lambda: _merged(engine, data).selection()))]
    way = data["seed"] % 4
    if way == 0:
        found.append(("push", told(lambda: _pushed(engine, events).selection())))
    elif way == 1:
        found.append(("select", told(engine.select, events, start)))
        found.append(("select of an iterator", told(engine.select, iter(events), start)))
    elif way == 2:
        found.append(("read_bytes of the whole", told(engine.read_bytes, log, suffix="whole")))
        found.append(("read_bytes", told(engine.read_bytes, log)))
    else:
        found.append(("read", told(engine.read, io.BytesIO(log))))
        found.append(("read of a stream", told(engine.read, Dribble(log, 61))))
    return found


def _lines(data: dict[str, Any]) -> list[bytes]:
    """The events as JSON text; each has its own shape, so that fewer events keep theirs."""
    return [rendered(event, Choice(f"{data['seed']}/{event}")) for event in data["events"]]


def _examined(data: dict[str, Any]) -> set[int]:
    """The candidates among the lines (S7)."""
    return {number for number, line in enumerate(_lines(data)) if number == 0 or NEEDLES.search(line)}


def _pushed(engine: ModuleType, events: list[Any]) -> Any:
    fold = engine.AssistantOutputFold()
    for event in events:
        fold.push(event)
    return fold


def _merged(engine: ModuleType, data: dict[str, Any]) -> Any:
    """Folds of the parts, every other fed from JSON, merged in some order."""
    parts = []
    pairs = zip(split(data["events"], data["cuts"]), split(_lines(data), data["cuts"]), strict=True)
    for number, (events, lines) in enumerate(pairs):
        fold = engine.AssistantOutputFold()
        if (number + data["seed"]) % 2:
            fold.extend(events)
        else:
            fold.extend_json(lines)
        parts.append(fold)
    while len(parts) > 1:
        at = data["seed"] % (len(parts) - 1)
        parts[at : at + 2] = [parts[at].merge(parts[at + 1])]
    return parts[0]


def laws(said: Said, data: dict[str, Any]) -> Iterator[Difference]:
    events = data["events"]
    whole = oracle.answer(events)
    for name, found in said:
        if name.startswith("select"):
            start = data["start"]
            expected = oracle.answer(events, max(0, len(events) + start) if start < 0 else start)
        elif name in ("merge", "push", "read_bytes of the whole"):
            expected = whole
        else:
            # The own suffix of notifications begins elsewhere; a log with a header has none.
            expected = oracle.answer(events, *oracle.own_start(events, _examined(data)))
        if "answer" not in found:
            yield Difference(name, "the oracle", "sound events", found, expected)
            continue
        index = found["answer"]["index"]
        wanted = {key: expected[key] for key in (*oracle.ASKED, "earlierText", "warnings")}
        if not same_json(oracle.asked_of(found["answer"]), wanted):
            yield Difference(name, "the oracle", "sound events", oracle.asked_of(found["answer"]), wanted)
        elif not name.startswith("read") and index != expected["index"]:
            yield Difference(name, "the oracle", "the index of what was said", index, expected["index"])
