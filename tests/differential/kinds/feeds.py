"""Streams fed in any pieces and both framings, with copies and pickles amid a record (S5 `feed`)."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from differential.choice import Choice, split
from differential.comparison import Difference, Said, of_each, same, state, told
from differential.encoding import server_sent
from differential.grammar import Grammar
from differential.kinds.logs import drawn_log
from differential.text import is_json, rendered

WEIGHT = 20
WORDS = frozenset({"lines", "sse"})
# A call that raised is followed by another that reads on; no stream here has more bad records.
MOST_CALLS = 200


def offered(engine: ModuleType) -> bool:
    return hasattr(engine.AssistantOutputFold, "feed")


def draw(choice: Choice) -> dict[str, Any]:
    framing = choice.of(("lines", "lines", "sse"))
    log = drawn_log(choice)
    if framing == "sse" and choice.chance(0.9):
        grammar = Grammar(choice, odd=choice.of((0.0, 0.1)))
        log = server_sent([rendered(event, choice) for event in grammar.events(5) if is_json(event)], choice)
    dense = choice.chance(0.2)
    cuts = list(range(len(log))) if dense and len(log) < 300 else choice.cuts(len(log), 8)
    # Between the pieces: nothing, a pickle, a copy, an end, or a call that pending bytes forbid.
    between = [choice.of((0, 0, 0, 1, 2, 3, 4)) if choice.chance(0.3) else 0 for _ in range(min(len(cuts) + 1, 20))]
    return {"log": log, "framing": framing, "cuts": cuts, "between": between, "text": choice.chance(0.2)}


@of_each
def ask(engine: ModuleType, data: dict[str, Any]) -> Said:
    found: Said = []
    fold = engine.AssistantOutputFold()
    framing = data["framing"]
    for number, piece in enumerate(split(data["log"], data["cuts"])):
        found.append((f"feed {number}", told(fold.feed, _shown(piece, data["text"]), framing=framing)))
        between = data["between"][number] if number < len(data["between"]) else 0
        if between == 1:
            fold = engine.AssistantOutputFold._from_pickle(state(fold))
        elif between == 2:
            fold = copy.deepcopy(fold) if number % 2 else copy.copy(fold)
        elif between == 3:
            found.append((f"end {number}", told(fold.end)))
        elif between == 4:
            found.append((f"push {number}", told(fold.push_text, "x")))
            found.append((f"merge {number}", told(_merged, engine, fold)))
        if between:
            found.append((f"state {number}", state(fold)))
    found += _ended(fold, "")
    at_once = engine.AssistantOutputFold()
    found.append(("whole feed", told(at_once.feed, data["log"], framing=framing)))
    return found + _ended(at_once, "whole ")


def _merged(engine: ModuleType, fold: Any) -> Any:
    return state(engine.AssistantOutputFold().merge(fold))


def _shown(piece: bytes, as_text: bool) -> Any:
    try:
        return piece.decode() if as_text else piece
    except UnicodeDecodeError:
        return piece


def _ended(fold: Any, name: str) -> Said:
    """End the stream, as often as something bad is still pending."""
    found: Said = []
    for number in range(MOST_CALLS):
        found.append((f"{name}end {number}", told(fold.end)))
        if "error" not in found[-1][1]:
            break
    return [*found, (f"{name}state", state(fold)), (f"{name}selection", told(fold.selection))]


def laws(said: Said, data: dict[str, Any]) -> Iterator[Difference]:
    """However a stream is cut, the same records are bad, at the same places, and the same is said in the end."""
    if any(data["between"][at] in (3, 4) for at in range(len(data["between"]))):
        return
    by_pieces, at_once = _summary(said, whole=False), _summary(said, whole=True)
    if not same(by_pieces, at_once):
        yield Difference("in pieces", "at once", "a stream cut otherwise", by_pieces, at_once)


def _summary(said: Said, *, whole: bool) -> list[Any]:
    mine = [(name, value) for name, value in said if name.startswith("whole") == whole]
    errors = [value["error"] for name, value in mine if isinstance(value, dict) and "error" in value]
    return [errors, mine[-2][1], mine[-1][1]]
