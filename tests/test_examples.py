"""The examples that ship run, and what they claim of a product is what the product said."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "docs" / "examples" / "lost_answer.py"
RUNS = sorted((ROOT / "tests" / "corpus" / "dsh-sdk-events").iterdir())


@pytest.fixture(scope="module")
def example():
    return runpy.run_path(str(EXAMPLE))


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_the_sdks_answer_is_told_as_the_sdk_gave_it(example, run):
    said = json.loads((run / "case.json").read_text())["product_said"]["final_response"]
    assert example["sdk_final_response"](json.loads((run / "events.json").read_text())) == said


def test_the_examples_log_is_the_captured_run(example):
    events = json.loads(
        (ROOT / "tests/corpus/dsh-sdk-events/0.2.1rc2--root_seed_max_tokens--run0/events.json").read_text()
    )
    assert [json.loads(line) for line in example["LOG"].read_text(encoding="utf-8").splitlines()] == events
