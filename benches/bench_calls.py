"""What does one call cost, and one piece of a stream? The floor is the same loop around a built-in, `id`."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import repeat
from typing import Any

import orjson
import pytest

import peers
from conftest import Measure, skip_without_rust
from contenders import ENGINES, FLOOR, engine
from workloads import Output, Sample, dumps, samples, text_pieces

CALLS = 2_000
PIECES = 100_000
SAMPLES = samples()


def new_fold(contender: str) -> Any:
    return engine(contender).AssistantOutputFold() if contender in ENGINES else peers.HandFold()


def each(call: Callable[[Any], object], arguments: Any) -> None:
    for argument in arguments:
        call(argument)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
@pytest.mark.parametrize("contender", [*ENGINES, "by hand", FLOOR])
def test_push(sample: Sample, contender: str, measure: Measure) -> None:
    def push(fold: Any) -> Output:
        each(id if fold is None else fold.push, repeat(sample.event, CALLS))
        return None if fold is None else fold.collect()

    _calls("push(event)", sample, contender, push, measure)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
@pytest.mark.parametrize("contender", [*ENGINES, "orjson, by hand", "json, by hand"])
def test_push_json(sample: Sample, contender: str, measure: Measure) -> None:
    record = dumps(sample.event)
    parse: Callable[[bytes], Any] = orjson.loads if contender.startswith("orjson") else json.loads

    def push(fold: Any) -> Output:
        if contender in ENGINES:
            each(fold.push_json, repeat(record, CALLS))
        else:
            each(fold.push, map(parse, repeat(record, CALLS)))
        return fold.collect()  # type: ignore[no-any-return]

    _calls("push_json(bytes)", sample, contender, push, measure)


def _calls(question: str, sample: Sample, contender: str, push: Callable[[Any], Output], measure: Measure) -> None:
    skip_without_rust(contender)
    floor = contender == FLOOR
    measure(
        question,
        sample.name,
        contender,
        push,
        None if floor else sample.output(CALLS),
        given=lambda: None if floor else new_fold(contender),
        units=CALLS,
        unit="call",
    )


@pytest.fixture(scope="module")
def stream() -> tuple[list[str], Output]:
    return text_pieces(PIECES)


@pytest.mark.parametrize("contender", [*ENGINES, "by hand", FLOOR])
@pytest.mark.parametrize("how", ["push_text", "extend_text"])
def test_stream(stream: tuple[list[str], Output], how: str, contender: str, measure: Measure) -> None:
    skip_without_rust(contender)
    pieces, expected = stream

    def one_by_one(fold: Any) -> Output:
        each(fold.push_text, pieces)
        return fold.collect()  # type: ignore[no-any-return]

    def at_once(fold: Any) -> Output:
        fold.extend_text(pieces)
        return fold.collect()  # type: ignore[no-any-return]

    def floor(_: None) -> None:
        if how == "push_text":
            each(id, pieces)
        else:
            "".join(pieces)

    call: Callable[[Any], Output] = one_by_one if how == "push_text" else at_once
    is_floor = contender == FLOOR
    measure(
        "A stream of 100,000 pieces, then its text",
        how,
        contender,
        floor if is_floor else call,
        None if is_floor else expected,
        given=lambda: None if is_floor else new_fold(contender),
        units=PIECES,
        unit="piece",
    )
