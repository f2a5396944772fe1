"""Event lists exactly as the official SDK hands them out: end to end (spec S2, S4)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

from corpus_cases import CORPUS
from ways import canonical


@dataclass(frozen=True)
class Run:
    id: str
    events: list[Any]
    output: Any
    said: dict[str, Any]

    def __str__(self) -> str:
        return self.id


def runs() -> Iterator[Run]:
    for path in sorted((CORPUS / "dsh-sdk-events").glob("*/case.json")):
        case = json.loads(path.read_bytes())
        events = json.loads(path.with_name("events.json").read_bytes())
        yield Run(path.parent.name, events, case["expected"]["output"], case["product_said"])


RUNS = list(runs())
SILENT = [run for run in RUNS if not run.said["final_response"]]


def test_all_six_runs_are_here() -> None:
    assert len(RUNS) == 6
    assert len(SILENT) == 2


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_the_sdks_events_give_the_expected_blocks(engine: ModuleType, run: Run) -> None:
    assert engine.suffix_start(run.events) == 0
    assert canonical(engine.final_assistant_output(run.events)) == canonical(run.output)
    selection = engine.select(run.events)
    assert canonical(selection.output) == canonical(run.output)
    assert selection.stop_reason == run.said["finish_reason"]
    assert selection.output is run.events[selection.index]["data"]["message"]["content"]


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_events_folded_as_they_arrive_give_the_same(engine: ModuleType, run: Run) -> None:
    fold = engine.AssistantOutputFold()
    for event in run.events:
        fold.push(event)
    assert canonical(fold.collect()) == canonical(run.output)


@pytest.mark.parametrize("run", [run for run in RUNS if run.said["final_response"]], ids=str)
def test_the_text_is_what_the_sdk_reports_where_it_reports_any(engine: ModuleType, run: Run) -> None:
    assert engine.select(run.events).text == run.said["final_response"]


@pytest.mark.parametrize("run", SILENT, ids=str)
def test_there_is_an_answer_where_the_sdks_final_response_is_empty(engine: ModuleType, run: Run) -> None:
    """The last step was cut inside a tool call: the SDK reports nothing, the agent had said something."""
    selection = engine.select(run.events)
    assert selection.text == "ROOT PARTIAL."
    assert [block["type"] for block in selection.output] == ["text", "tool-call"]
    assert (selection.completeness, selection.is_final) == ("truncated", False)
