"""Folds: any calls in any order, merged, copied and pickled, also from one engine into the other (S5, S10)."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from differential.choice import Choice
from differential.comparison import Difference, Said, state, told
from differential.grammar import TEXTS, Grammar
from differential.kinds.records import drawn_record

WEIGHT = 20
# Calls on two folds; those after `extend_json` need no argument.
CALLS = ("push", "push", "push", "push_json", "push_json", "push_text", "extend", "extend_text", "extend_json",
         "merge", "merge_itself", "copy", "deepcopy", "pickle", "swap", "merge_other")  # fmt: skip

WORDS = frozenset(CALLS)


def offered(engine: ModuleType) -> bool:
    return hasattr(engine, "AssistantOutputFold")


def draw(choice: Choice) -> dict[str, Any]:
    odd = choice.of((0.0, 0.03, 0.2))
    grammar = Grammar(choice, odd=odd, python=odd > 0)
    plain = Grammar(choice, odd=odd)

    def event() -> Any:
        made = grammar.bare()
        return grammar.enveloped(made, choice.of(("s1", "s1", "s1", "s2", None))) if choice.chance(0.15) else made

    def argument(call: str) -> Any:
        if call == "push":
            return event()
        if call == "push_json":
            return drawn_record(choice, plain)
        if call == "push_text":
            return choice.of(TEXTS) if choice.chance(0.95) else choice.of((3, None, b"bytes"))
        if call == "extend":
            return [event() for _ in range(choice.below(4))]
        if call == "extend_text":
            return [choice.of(TEXTS) for _ in range(choice.below(4))]
        if call == "extend_json":
            records = [drawn_record(choice, plain) for _ in range(choice.below(4))]
            return records if choice.chance(0.5) else b"\n".join(records)
        return None

    steps = []
    for _ in range(choice.between(1, 9)):
        call = choice.of(CALLS)
        steps.append([call, choice.below(2), argument(call)])
    return {"steps": steps}


def ask(engines: list[ModuleType], data: dict[str, Any]) -> list[Said]:
    """The same calls in every engine. `other` is the engine after this one: what crosses over comes from there."""
    folds = [[engine.AssistantOutputFold(), engine.AssistantOutputFold()] for engine in engines]
    said: list[Said] = [[] for _ in engines]
    for number, (call, slot, argument) in enumerate(data["steps"]):
        there = [list(pair) for pair in folds]
        for at, engine in enumerate(engines):
            mine, other = folds[at], there[(at + 1) % len(engines)]
            found = told(_step, engine, mine, other, call, slot, argument)
            said[at].append((f"{number} {call}", found))
            said[at].append((f"{number} state", state(mine[slot])))
    for at, pair in enumerate(folds):
        for slot, fold in enumerate(pair):
            said[at] += [
                (f"selection {slot}", told(fold.selection)),
                (f"output {slot}", told(fold.collect)),
                (f"text {slot}", fold.text),
            ]
    return said


def _step(engine: ModuleType, mine: list[Any], other: list[Any], call: str, slot: int, argument: Any) -> None:
    fold = mine[slot]
    if argument is not None or call in ("push", "push_text"):
        getattr(fold, call)(argument)
    elif call == "merge":
        mine[slot] = fold.merge(mine[1 - slot])
    elif call == "merge_itself":
        mine[slot] = fold.merge(fold)
    elif call == "merge_other":
        mine[slot] = fold.merge(other[1 - slot])
    elif call == "copy":
        mine[1 - slot] = copy.copy(fold)
    elif call == "deepcopy":
        mine[1 - slot] = copy.deepcopy(fold)
    elif call == "pickle":
        mine[slot] = engine.AssistantOutputFold._from_pickle(pickle.loads(pickle.dumps(state(fold))))
    elif call == "swap":
        mine[slot] = engine.AssistantOutputFold._from_pickle(state(other[slot]))


def laws(said: Said, data: dict[str, Any]) -> Iterator[Difference]:
    """A call that fails on one event leaves the fold as it was (S7)."""
    before: dict[int, Any] = {}
    for number, (call, slot, _) in enumerate(data["steps"]):
        outcome, after = said[2 * number][1], said[2 * number + 1][1]
        single = call not in ("extend", "extend_text", "extend_json")
        if single and "error" in outcome and slot in before and repr(before[slot]) != repr(after):
            yield Difference("before", "after", f"{number} {call}: a call that failed", before[slot], after)
        if call in ("copy", "deepcopy"):
            before.pop(1 - slot, None)
        before[slot] = after
