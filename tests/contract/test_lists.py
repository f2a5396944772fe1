"""Lists and iterators of events (spec S5)."""

from __future__ import annotations

from collections import UserList, deque
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, chunk, header, message, text, turn_end
from lastsaid import MalformedEventError

EVENTS = [header(), message("a"), attempt("late"), message("b"), turn_end()]


@pytest.mark.parametrize(
    ("start", "expected"),
    [(0, "b"), (1, "b"), (3, "b"), (4, None), (5, None), (99, None), (-1, None), (-2, "b"), (-99, "b")],
)
@pytest.mark.parametrize("made", [list, tuple, deque, UserList, iter], ids=lambda made: made.__name__)
def test_start_is_a_slice_start(engine: ModuleType, made: Any, start: int, expected: str | None) -> None:
    """spec S5 start: negative counts from the end, beyond the end is nothing."""
    output = expected and [text(expected)]
    assert engine.final_assistant_output(made(EVENTS), start) == output
    assert engine.select(made(EVENTS), start).output == output


def test_start_may_be_named(engine: ModuleType) -> None:
    assert engine.final_assistant_output(EVENTS, start=4) is None
    assert engine.select(EVENTS, start=4).source == "none"


class Watched(list[Any]):
    """Read as the list it is (S1): nothing of this is called."""

    def __getitem__(self, index: Any) -> Any:
        raise AssertionError("copied")

    __iter__ = __len__ = __getitem__  # type: ignore[assignment]


def test_subclass_of_list_is_read_as_a_list(engine: ModuleType) -> None:
    """spec S1 Object."""
    assert engine.final_assistant_output(Watched(EVENTS)) == [text("b")]


class Lazy(UserList[Any]):
    """A sequence that counts what is looked at."""

    looked_at = 0

    def __getitem__(self, index: Any) -> Any:
        self.looked_at += 1
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("a sequence is walked from its end, not iterated")


def test_sequence_is_walked_from_its_end_and_not_copied(engine: ModuleType) -> None:
    """spec S5 start, S6.3: an early exit."""
    events = Lazy([chunk("no")] * 1000 + [message("b"), turn_end()])
    assert engine.select(events).text == "b"
    assert events.looked_at < 10


def test_generator_is_read_once(engine: ModuleType) -> None:
    """spec S5 start."""
    seen = []

    def events() -> Iterator[Any]:
        for event in EVENTS:
            seen.append(event)
            yield event

    assert engine.select(events()).index == 3
    assert seen == EVENTS


def test_error_of_the_iterator_comes_through(engine: ModuleType) -> None:
    def events() -> Iterator[Any]:
        yield message("a")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        engine.final_assistant_output(events())
    fold = engine.AssistantOutputFold()
    with pytest.raises(ZeroDivisionError):
        fold.extend(events())
    assert fold.collect() == [text("a")]


def test_old_style_sequence_is_iterable(engine: ModuleType) -> None:
    class Old:
        def __getitem__(self, index: int) -> Any:
            return EVENTS[index]

    fold = engine.AssistantOutputFold()
    fold.extend(Old())
    assert fold.collect() == engine.final_assistant_output(Old()) == [text("b")]


def test_index_is_the_place_in_the_whole_list(engine: ModuleType) -> None:
    """spec S9 place."""
    assert engine.select(EVENTS, 2).index == engine.select(iter(EVENTS), 2).index == 3


def test_list_that_shrinks_meanwhile_ends_earlier(engine: ModuleType) -> None:
    """No crash in either engine: an event's mapping may do anything."""

    class Shrinks(Mapping[str, Any]):
        def __getitem__(self, key: str) -> Any:
            del events[1:]
            raise KeyError(key)

        def __iter__(self) -> Iterator[str]:
            return iter(())

        def __len__(self) -> int:
            return 0

    events: list[Any] = [message("a"), message(), attempt("x"), Shrinks(), attempt("y")]
    assert engine.select(events).text == "a"


def test_error_of_a_mapping_comes_through(engine: ModuleType) -> None:
    class Breaks(Mapping[str, Any]):
        def __getitem__(self, key: str) -> Any:
            raise ZeroDivisionError

        def __iter__(self) -> Iterator[str]:
            return iter(())

        def __len__(self) -> int:
            return 0

    fold = engine.AssistantOutputFold()
    for call in (
        lambda: fold.push(Breaks()),
        lambda: engine.select([Breaks()]),
        lambda: engine.suffix_start([Breaks()]),
    ):
        with pytest.raises(ZeroDivisionError):
            call()
    assert fold.collect() is None


def test_a_start_beyond_everything_is_nothing_also_for_an_iterator(engine):
    """spec S5 start: a slice start beyond the end is nothing."""
    events = [{"type": "assistant/message", "data": {"message": {"content": [1]}}}]
    for start in (2**63, 2**70):
        assert engine.final_assistant_output(events, start) is None
        assert engine.final_assistant_output(iter(events), start) is None


def test_a_proxy_of_a_dict_is_a_mapping_and_one_of_a_list_is_no_list(engine):
    """spec S1 Object: a list is a list; what `__class__` claims is not looked at."""
    import weakref

    class Event(dict):
        pass

    class Blocks(list):
        pass

    event = Event(type="assistant/message", data={"message": {"content": [1]}})
    assert engine.final_assistant_output([weakref.proxy(event)]) == [1]
    blocks = Blocks([1])
    event["data"] = {"message": {"content": weakref.proxy(blocks)}}
    with pytest.raises(MalformedEventError, match=r"data\.message\.content is a Python"):
        engine.final_assistant_output([event])


def test_what_stands_before_the_message_is_not_looked_at(engine):
    """spec S5 start: only who asks for the turn as well reads on; a session that is named must be that of all."""

    class Breaks(Mapping):
        def __getitem__(self, key: str) -> Any:
            raise ZeroDivisionError

        def __iter__(self) -> Iterator[str]:
            return iter(())

        def __len__(self) -> int:
            return 0

    bare = {"type": "assistant/message", "data": {"message": {"content": [{"type": "tool-call"}]}}}
    after = [{"type": "tool/result", "data": {}}] * 100
    for made in (list, tuple):
        events = made([Breaks(), bare, *after])
        assert engine.final_assistant_output(events) == [{"type": "tool-call"}]
        with pytest.raises(ZeroDivisionError):
            engine.select(events)
        with pytest.raises(ZeroDivisionError):
            engine.final_assistant_output(made([Breaks(), {"type": "session_event", "sessionId": "s", "event": bare}]))
        with pytest.raises(ZeroDivisionError):
            engine.final_assistant_output(made([Breaks(), *after]))
