"""How long until the answer of 100,000 events in memory is there, from their end and folded in order?"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

import peers
from conftest import Measure, at_rest, skip_without_rust
from contenders import ENGINES, FLOOR, engine
from workloads import KINDS, Kind, Output, event_list

COUNT = 100_000


@pytest.fixture(scope="module", params=KINDS)
def listed(request: pytest.FixtureRequest) -> Iterator[tuple[Kind, list[dict[str, Any]], Output]]:
    with at_rest():
        events, expected = event_list(request.param, COUNT)
    yield request.param, events, expected
    gc.unfreeze()


@pytest.mark.parametrize("contender", [*ENGINES, "by hand", "by hand, backward", FLOOR])
def test_answer(listed: tuple[Kind, list[dict[str, Any]], Output], contender: str, measure: Measure) -> None:
    skip_without_rust(contender)
    kind, events, expected = listed
    question = "A list of 100,000 events, its answer"
    if contender == FLOOR:
        # Near the end there is nothing to touch: no floor.
        if kind == "normal":
            pytest.skip("an answer near the end has no floor")
        measure(question, kind, FLOOR, lambda _: peers.floor_events(events), None)
        return
    hands = {"by hand": peers.forward, "by hand, backward": peers.backward}
    answer = hands[contender] if contender in hands else engine(contender).final_assistant_output
    measure(question, kind, contender, lambda _: answer(events), expected)


@pytest.mark.parametrize("contender", [*ENGINES, "by hand", FLOOR])
def test_extend(listed: tuple[Kind, list[dict[str, Any]], Output], contender: str, measure: Measure) -> None:
    skip_without_rust(contender)
    kind, events, expected = listed
    question = "A list of 100,000 events, folded in order"
    if contender == FLOOR:
        measure(question, kind, FLOOR, lambda _: peers.floor_events(events), None, units=len(events), unit="event")
        return

    def fold(_: None) -> Any:
        made = engine(contender).AssistantOutputFold()
        made.extend(events)
        return made.collect()

    call = (lambda _: peers.forward(events)) if contender == "by hand" else fold
    measure(question, kind, contender, call, expected, units=len(events), unit="event")
