"""Folding is one thing however it is cut into calls and folds (spec S6.1)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lastsaid import MalformedEventError
from strategies import any_lists, disguised, sound_lists
from ways import answer, canonical, failure, outcome


def fold_of(engine: ModuleType, events: list[Any]) -> Any:
    fold = engine.AssistantOutputFold()
    fold.extend(events)
    return fold


def state(fold: Any) -> str:
    """Everything a fold knows, engine-neutral (S10)."""
    return canonical(fold.__reduce__()[1][0])


@given(events=sound_lists)
def test_pushing_all_and_collecting_equals_the_function(engine: ModuleType, events: list[Any]) -> None:
    fold = engine.AssistantOutputFold()
    for event in events:
        fold.push(event)
    assert canonical(fold.collect()) == canonical(engine.final_assistant_output(events))
    assert fold.text == fold.selection().text
    selected = outcome(lambda: engine.select(events), "warnings", "format")
    assert canonical(outcome(fold.selection, "warnings", "format")) == canonical(selected)


@given(events=sound_lists, cuts=st.lists(st.integers(0, 10), max_size=3))
def test_any_split_merged_in_order_equals_one_fold(engine: ModuleType, events: list[Any], cuts: list[int]) -> None:
    """spec S5 merge, S6.1."""
    places = [0, *sorted(min(cut, len(events)) for cut in cuts), len(events)]
    merged = engine.AssistantOutputFold()
    for i in range(len(places) - 1):
        merged = merged.merge(fold_of(engine, events[places[i] : places[i + 1]]))
    whole = fold_of(engine, events)
    assert state(merged) == state(whole)
    assert canonical(answer(merged.selection())) == canonical(answer(whole.selection()))


@given(first=sound_lists, second=sound_lists, third=sound_lists)
def test_merging_is_associative_with_a_new_fold_as_identity(
    engine: ModuleType, first: list[Any], second: list[Any], third: list[Any]
) -> None:
    a, b, c = (fold_of(engine, events) for events in (first, second, third))
    assert state(a.merge(b).merge(c)) == state(a.merge(b.merge(c)))
    empty = engine.AssistantOutputFold()
    assert state(a.merge(empty)) == state(empty.merge(a)) == state(a)


@given(events=any_lists, texts=st.lists(st.text(max_size=2), max_size=2))
def test_pieces_pushed_as_text_are_streamed_text(engine: ModuleType, events: list[Any], texts: list[str]) -> None:
    one, other = engine.AssistantOutputFold(), engine.AssistantOutputFold()
    for piece in texts:
        one.push_text(piece)
        other.push({"type": "assistant/chunk", "data": {"chunk": {"type": "text-delta", "text": piece}}})
    assert canonical(one.collect()) == canonical(other.collect())
    for event in events:
        assert outcome(lambda fold=one, event=event: fold.push(event)) == outcome(
            lambda fold=other, event=event: fold.push(event)
        )
    assert canonical(one.collect()) == canonical(other.collect())


@given(events=any_lists)
def test_a_push_that_fails_leaves_the_fold_as_it_was(engine: ModuleType, events: list[Any]) -> None:
    """spec S7."""
    fold = engine.AssistantOutputFold()
    for event in events:
        before = fold.__reduce__()[1][0]
        failed = outcome(lambda event=event: fold.push(event)).get("error")
        if failed:
            assert failed["index"] is failed["offset"] is failed["line"] is None
            assert repr(fold.__reduce__()[1][0]) == repr(before)


@given(events=any_lists)
def test_extend_keeps_what_came_before_the_first_bad_event_and_names_its_index(
    engine: ModuleType, events: list[Any]
) -> None:
    """spec S5 extend, S7."""
    pushed, extended = engine.AssistantOutputFold(), engine.AssistantOutputFold()
    expected = None
    for index, event in enumerate(events):
        try:
            pushed.push(event)
        except MalformedEventError as error:
            expected = error.at(index=index)
            break
    if expected is None:
        extended.extend(iter(events))
    else:
        with pytest.raises(MalformedEventError) as caught:
            extended.extend(iter(events))
        assert failure(caught.value) == failure(expected)
    assert repr(extended.__reduce__()[1][0]) == repr(pushed.__reduce__()[1][0])


@given(events=any_lists, seed=st.integers(0, 2**32))
def test_mappings_and_subclasses_are_read_as_what_they_are(engine: ModuleType, events: list[Any], seed: int) -> None:
    """spec S1 Object. `str` subclasses are read as str; joined text is plain."""
    dressed = [disguised(event, seed + i) for i, event in enumerate(events)]
    places = ("source", "index", "seq", "text", "completeness", "stopReason")
    plain, clothed = outcome(lambda: engine.select(events)), outcome(lambda: engine.select(dressed))
    if "error" in plain:
        assert clothed == plain
    else:
        assert [clothed["answer"][key] for key in places] == [plain["answer"][key] for key in places]
        assert type(clothed["answer"]["text"]) is str
