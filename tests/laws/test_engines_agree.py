"""The engines agree on results, on errors and on the state left behind (spec S6.4)."""

from __future__ import annotations

import copy
import io
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_cases import CORPUS
from strategies import any_event, any_lists, any_logs, disguised, is_json, read_options, rendered, undressed
from ways import Dribble, canonical, outcome


def assert_same(engines: tuple[ModuleType, ModuleType], ask: Callable[[ModuleType], Any]) -> None:
    rust, python = (outcome(lambda engine=engine: ask(engine)) for engine in engines)
    assert canonical(rust) == canonical(python)


def assert_same_state(rust: Any, python: Any) -> None:
    """The pickles say the same, keys and types included."""
    left, right = rust.__reduce__()[1][0], python.__reduce__()[1][0]
    assert list(left) == list(right)
    assert canonical(undressed(left)) == canonical(undressed(right))
    assert [type(value) for value in left.values()] == [type(value) for value in right.values()]
    assert canonical(undressed(outcome(rust.selection))) == canonical(undressed(outcome(python.selection)))
    assert canonical(undressed(rust.collect())) == canonical(undressed(python.collect()))
    assert rust.text == python.text


@given(events=any_lists, seed=st.integers(0, 2**32))
def test_folds_of_objects_agree_after_every_push(both_engines: Any, events: list[Any], seed: int) -> None:
    rust, python = (engine.AssistantOutputFold() for engine in both_engines)
    for i, event in enumerate(events):
        shown = disguised(event, seed) if (seed + i) % 3 == 0 else event
        assert outcome(lambda shown=shown: rust.push(shown)) == outcome(lambda shown=shown: python.push(shown))
        assert_same_state(rust, python)


@given(events=any_lists)
def test_extending_agrees_on_the_error_and_on_what_is_kept(both_engines: Any, events: list[Any]) -> None:
    rust, python = (engine.AssistantOutputFold() for engine in both_engines)
    assert outcome(lambda: rust.extend(events)) == outcome(lambda: python.extend(events))
    assert_same_state(rust, python)


@given(log=any_logs)
def test_extending_with_lines_agrees_on_the_error_and_on_what_is_kept(both_engines: Any, log: bytes) -> None:
    rust, python = (engine.AssistantOutputFold() for engine in both_engines)
    assert outcome(lambda: rust.extend_json(log)) == outcome(lambda: python.extend_json(log))
    assert_same_state(rust, python)
    records = log.split(b"\n")
    assert outcome(lambda: rust.extend_json(records)) == outcome(lambda: python.extend_json(records))
    assert_same_state(rust, python)


@given(event=any_event.filter(is_json), seed=st.integers(0, 2**32), spoil=st.integers(0, 400))
def test_any_json_text_spoilt_anywhere_agrees(both_engines: Any, event: Any, seed: int, spoil: int) -> None:
    rng = random.Random(seed)
    text = bytearray(rendered(event, rng).encode())
    if spoil < len(text):
        text[spoil] = rng.choice(b'"\\{}[],:0eE+-.tfn\x00\x1f\x7f\x80\xc0\xed\xff u/')
    rust, python = (engine.AssistantOutputFold() for engine in both_engines)
    assert outcome(lambda: rust.push_json(text)) == outcome(lambda: python.push_json(text))
    assert_same_state(rust, python)


@given(first=any_lists, second=any_lists)
def test_merging_agrees_also_across_engines(both_engines: Any, first: list[Any], second: list[Any]) -> None:
    def folded(engine: ModuleType, events: list[Any]) -> Any:
        fold = engine.AssistantOutputFold()
        outcome(lambda: fold.extend(events))
        return fold

    def merged(one: ModuleType, other: ModuleType) -> Any:
        made = folded(one, first).merge(folded(other, second))
        return made.__reduce__()[1][0]

    results = [outcome(lambda a=a, b=b: merged(a, b)) for a in both_engines for b in both_engines]
    assert len({canonical(result) for result in results}) == 1, results


@given(events=any_lists, start=st.integers(-6, 9))
def test_lists_and_iterators_agree(both_engines: Any, events: list[Any], start: int) -> None:
    assert_same(both_engines, lambda engine: engine.select(events, start))
    assert_same(both_engines, lambda engine: engine.select(iter(events), start))
    assert_same(both_engines, lambda engine: engine.final_assistant_output(events, start))
    assert_same(both_engines, lambda engine: engine.suffix_start(events))
    assert_same(both_engines, lambda engine: engine.suffix_start(iter(events)))


@given(log=any_logs, options=read_options)
def test_logs_agree_in_every_direction(both_engines: Any, log: bytes, options: dict[str, Any]) -> None:
    assert_same(both_engines, lambda engine: engine.read_bytes(log, **options))
    assert_same(both_engines, lambda engine: engine.read(io.BytesIO(log), **options))
    assert_same(both_engines, lambda engine: engine.read(Dribble(log, 5), **options))


@given(log=any_logs, options=read_options, limit=st.integers(1, 300))
def test_logs_agree_on_records_that_are_too_large(
    both_engines: Any, log: bytes, options: dict[str, Any], limit: int
) -> None:
    assert_same(both_engines, lambda engine: engine.read_bytes(log, max_record_bytes=limit, **options))
    assert_same(both_engines, lambda engine: engine.read(Dribble(log, 5), max_record_bytes=limit, **options))


@given(events=any_lists)
def test_copies_agree_and_leave_the_original_alone(both_engines: Any, events: list[Any]) -> None:
    rust, python = (engine.AssistantOutputFold() for engine in both_engines)
    for fold in (rust, python):
        outcome(lambda fold=fold: fold.extend(events))
    for how in (copy.copy, copy.deepcopy):
        mine, theirs = how(rust), how(python)
        assert_same_state(mine, theirs)
        mine.push_text("more")
        theirs.push_text("more")
        assert_same_state(mine, theirs)
        assert_same_state(rust, python)


@pytest.mark.parametrize("name", ["0.1.5rc1--sub_fork--child-6a1fbe", "0.1.2rc1--sub_fork--child-08c9ef"])
def test_a_log_cut_at_any_byte_agrees(both_engines: Any, name: str) -> None:
    log = (CORPUS / "dsh" / name / "log.jsonl").read_bytes()
    for cut in range(0, len(log) + 1, 3):
        assert_same(both_engines, lambda engine, cut=cut: engine.read_bytes(log[:cut]))
