"""What does one call cost, hot?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

import orjson

import compiled
from contenders import ENGINES, PYTHON, RUST, engine
from peers.events import HandFold
from questions import Question, Scale
from runner import Contender, Workload
from session import Output, dumps
from workloads import Sample, event_of_delta, samples, text_pieces

CALLS = 2_000
PIECES = 100_000
HAND = "by hand"
C = "C, by hand"
EMPTY = "C, empty call"
LOADS_PUSH = "orjson.loads + rust push"


def fold_of(name: str) -> Any:
    """An empty fold of an engine, or of someone who wrote it by hand."""
    if name in ENGINES:
        return engine(name).AssistantOutputFold()
    return HandFold() if name == HAND else compiled.floor_calls().Fold()


def hot(call: Callable[[Any], object], argument: Any) -> None:
    """CALLS calls; unrolled, so that the loop counts little."""
    for _ in repeat(None, CALLS // 10):
        call(argument)
        call(argument)
        call(argument)
        call(argument)
        call(argument)
        call(argument)
        call(argument)
        call(argument)
        call(argument)
        call(argument)


def collected(fold: Any) -> Output:
    output: Output = fold.collect()
    return output


def with_c(names: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    """These, and the C extension where it can be built."""
    if why := compiled.missing():
        return list(names), {C: why, EMPTY: why}
    return [*names, C], {}


def pushes(sample: Sample) -> Workload:
    names, missing = with_c((RUST, PYTHON, HAND))

    def contender(name: str) -> Contender:
        def push(fold: Any) -> Any:
            hot(fold.push, sample.event)
            return fold

        return Contender(name, push, given=lambda: fold_of(name), answer=collected)

    contenders = [contender(name) for name in names]
    if C in names:
        contenders.append(Contender(EMPTY, lambda fold: hot(fold.nothing, sample.event), lambda: fold_of(C), False))
    return Workload(f"push: {sample.name}", sample.output(CALLS), contenders, CALLS, "call", missing)


def push_texts() -> Workload:
    (piece,), _ = text_pieces(1)
    names, missing = with_c((RUST, PYTHON, HAND))

    def contender(name: str) -> Contender:
        def push(fold: Any) -> Any:
            hot(fold.push_text, piece)
            return fold

        return Contender(name, push, given=lambda: fold_of(name), answer=collected)

    contenders = [contender(name) for name in names]
    if C in names:
        contenders.append(Contender(EMPTY, lambda fold: hot(fold.nothing, piece), lambda: fold_of(C), False))
    expected: Output = [{"type": "text", "text": piece * CALLS}]
    return Workload("push_text", expected, contenders, CALLS, "call", missing)


def push_jsons(name: str, event: dict[str, Any], expected: Output) -> Workload:
    record = dumps(event)

    def json_contender(engine_name: str) -> Contender:
        def push(fold: Any) -> Any:
            hot(fold.push_json, record)
            return fold

        return Contender(engine_name, push, given=lambda: fold_of(engine_name), answer=collected)

    def loads_contender(label: str, fold_name: str) -> Contender:
        def push(fold: Any) -> Any:
            loads, push_event = orjson.loads, fold.push
            for one in repeat(record, CALLS):
                push_event(loads(one))
            return fold

        return Contender(label, push, given=lambda: fold_of(fold_name), answer=collected)

    contenders = [json_contender(RUST), json_contender(PYTHON)]
    contenders += [loads_contender(LOADS_PUSH, RUST), loads_contender("orjson.loads + by hand", HAND)]
    return Workload(name, expected, contenders, CALLS, "call")


def workloads(scale: Scale) -> Iterator[Workload]:
    found = samples()
    for sample in found:
        yield pushes(sample)
    yield push_texts()
    delta = event_of_delta(" answer", 7)
    text = delta["data"]["chunk"]["text"]
    yield push_jsons("push_json: SSE-sized", delta, [{"type": "text", "text": text * CALLS}])
    for sample in found:
        if sample.name in ("tool/result", "assistant/message"):
            yield push_jsons(f"push_json: {sample.name}", sample.event, sample.output(CALLS))


QUESTION = Question(
    "calls",
    "One call, hot",
    f"{CALLS:,} calls with the same argument into a new fold. `{C}` keeps content by reference and copies text into a "
    f"buffer, without validation or provenance; `{EMPTY}` is a method that does nothing.",
    workloads,
    seconds=0.3,
)
