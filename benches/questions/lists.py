"""How long until the answer of events that are Python objects already is there?"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import compiled
import floors
from contenders import ENGINES, FLOOR, engine
from peers.events import backward, forward
from questions import Question, Scale
from questions.calls import EMPTY, HAND, C, fold_of, with_c
from runner import Contender, Workload
from session import KINDS
from workloads import event_list

BACKWARD = "by hand, backward"
SIZES = (10_000, 100_000)
FULL_SIZES = (*SIZES, 1_000_000)


def answering(name: str) -> Callable[[list[dict[str, Any]]], Any]:
    if name in ENGINES:
        answer: Callable[[list[dict[str, Any]]], Any] = engine(name).final_assistant_output
        return answer
    if name == C:
        backward_in_c: Callable[[list[dict[str, Any]]], Any] = compiled.floor_calls().backward
        return backward_in_c
    return forward if name == HAND else backward


def workloads(scale: Scale) -> Iterator[Workload]:
    names, missing = with_c((*ENGINES, HAND, BACKWARD))
    for size in FULL_SIZES if scale.full else SIZES:
        for kind in KINDS:
            # Collecting while a million dicts are made takes longer than making them.
            gc.disable()
            events, expected = event_list(kind, size)
            gc.enable()

            def contender(name: str, events: list[dict[str, Any]] = events) -> Contender:
                answer = answering(name)
                return Contender(name, lambda _: answer(events))

            contenders = [contender(name) for name in names]
            if C in names:
                nothing = fold_of(C).nothing
                contenders.append(Contender(EMPTY, lambda _, call=nothing, events=events: call(events), checked=False))
            if kind != "normal":
                contenders.append(Contender(FLOOR, lambda _, events=events: floors.events(events), checked=False))
            yield Workload(f"{kind}, {size:,}", expected, contenders, missing=missing)
            if size == SIZES[-1] and kind == "normal":
                yield in_order(events, expected)
            del events, contender, contenders
            gc.collect()


def in_order(events: list[dict[str, Any]], expected: Any) -> Workload:
    """`extend`, which reads every event."""
    names, missing = with_c((*ENGINES, HAND))

    def contender(name: str) -> Contender:
        if name == HAND:
            return Contender(name, lambda _: forward(events))

        def call(fold: Any) -> Any:
            fold.extend(events)
            return fold.collect()

        return Contender(name, call, given=lambda: fold_of(name))

    return Workload(
        f"normal, {len(events) // 100_000 * 100_000:,}, `extend`",
        expected,
        [*map(contender, names), Contender(FLOOR, lambda _: floors.events(events), checked=False)],
        missing=missing,
    )


QUESTION = Question(
    "lists",
    "A list of dicts",
    "`final_assistant_output(events)`. An answer near the end has no floor but a call; the others are bound by the "
    "latency of memory: events made by a JSON parser lie far apart, and each must be followed through three dicts.",
    workloads,
    seconds=0.7,
)
