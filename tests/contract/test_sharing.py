"""Identity, copies, pickles, threads and calls from inside calls (spec S10)."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import lastsaid
from dsh_events import attempt, chunk, header, headless, jsonl, message, reasoning, text, turn_end, turn_start
from lastsaid import FoldBusyError, MalformedEventError

STORED = Path(__file__).with_name("stored") / "fold-version-1.pickle"
WAIT = 30


def filled(engine: ModuleType) -> Any:
    """A fold in which every part of the state is something."""
    fold = engine.AssistantOutputFold()
    fold.extend(
        [
            header(),
            headless(attempt("a"), "s1"),
            message("said", id="m1", seq=3),
            message(reasoning("hm"), {"type": "image", "n": [1]}, id="m2", seq=4),
            turn_end("blocked"),
            {"type": "unheard-of"},
        ]
    )
    return fold


def state(fold: Any) -> dict[str, Any]:
    return fold.__reduce__()[1][0]


# --- identity


def test_content_pushed_as_objects_is_returned_as_the_same_list(engine: ModuleType) -> None:
    """spec S10: borrowed."""
    event = message("a", {"deep": [1]})
    content = event["data"]["message"]["content"]
    fold = engine.AssistantOutputFold()
    fold.push(event)
    assert fold.collect() is content
    assert fold.selection().output is content
    assert copy.copy(fold).collect() is content
    assert engine.AssistantOutputFold().merge(fold).collect() is content
    assert fold.merge(engine.AssistantOutputFold()).collect() is content
    assert engine.final_assistant_output([event]) is content
    assert engine.final_assistant_output(iter([event])) is content
    assert engine.select([headless(event)]).output is content


def test_subclass_of_list_comes_back_as_itself(engine: ModuleType) -> None:
    class Blocks(list[Any]):
        pass

    event = message()
    event["data"]["message"]["content"] = blocks = Blocks([text("a")])
    fold = engine.AssistantOutputFold()
    fold.push(event)
    assert fold.collect() is blocks
    assert engine.final_assistant_output([event]) is blocks


def test_output_from_json_is_the_same_list_each_time(engine: ModuleType) -> None:
    fold = engine.AssistantOutputFold()
    fold.push_json(jsonl(message("a")))
    assert fold.collect() == [text("a")]
    assert fold.collect() == fold.selection().output


def test_streamed_text_is_a_new_list_each_time(engine: ModuleType) -> None:
    """spec S10."""
    fold = engine.AssistantOutputFold()
    fold.push_text("a")
    first = fold.collect()
    first.append("spoilt")
    first[0]["text"] = "spoilt"
    assert fold.collect() == [text("a")]
    fold.push_text("b")
    assert fold.collect() == [text("ab")]


def test_fold_forgets_messages_that_were_replaced(engine: ModuleType) -> None:
    """A long run must not keep every message alive."""

    class Blocks(list[Any]):
        pass

    event = message("no")
    event["data"]["message"]["content"] = Blocks([text("old")])
    old = weakref.ref(event["data"]["message"]["content"])
    fold = engine.AssistantOutputFold()
    fold.push(event)
    del event
    fold.push(message("new"))
    gc.collect()
    assert old() is None


# --- copies and pickles


def test_deepcopy_copies_and_copy_shares(engine: ModuleType) -> None:
    fold = filled(engine)
    content = fold.collect()
    shallow, deep = copy.copy(fold), copy.deepcopy(fold)
    assert type(shallow) is type(deep) is engine.AssistantOutputFold
    assert shallow.collect() is content
    assert deep.collect() == content
    assert deep.collect() is not content
    assert deep.collect()[1] is not content[1]
    assert state(shallow) == state(deep) == state(fold)


def test_copies_go_their_own_way(engine: ModuleType) -> None:
    fold = engine.AssistantOutputFold()
    fold.push_text("a")
    for how in (copy.copy, copy.deepcopy):
        other = how(fold)
        other.push_text("b")
        assert (fold.text, other.text) == ("a", "ab")
    fold.push_text("c")
    assert fold.text == "ac"


def test_deepcopy_keeps_to_the_memo(engine: ModuleType) -> None:
    event = message("a")
    fold = engine.AssistantOutputFold()
    fold.push(event)
    fold_copy, event_copy = copy.deepcopy([fold, event])
    assert fold_copy.collect() is event_copy["data"]["message"]["content"]


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_carries_everything(engine: ModuleType, protocol: int) -> None:
    for fold in (engine.AssistantOutputFold(), filled(engine)):
        restored = pickle.loads(pickle.dumps(fold, protocol))
        assert type(restored) is lastsaid.AssistantOutputFold
        assert state(restored) == state(fold)
        assert restored.collect() == fold.collect()
        if fold.collect() is not None:
            assert restored.collect() is not fold.collect()


def test_pickle_is_plain_and_versioned(engine: ModuleType) -> None:
    """spec S10: engine-neutral, so nothing of an engine is in it."""
    fold = filled(engine)
    restore, (kept,) = fold.__reduce__()
    assert (restore.__module__, restore.__name__) == ("lastsaid.engine", "restore_fold")
    content = fold.collect()
    assert kept == {
        "version": 2,
        "format": "dsh",
        "message": (content, False, "m2", 3, None, None, 4),
        "earlier": ([text("said")], True, "m1", 2, None, None, 3),
        "text": "",
        "text_place": None,
        "turn": ("blocked", "refusal"),
        "session": "s1",
        "known": True,
        "unknown": True,
        "count": 6,
        "feeding": None,
    }
    assert b"_core" not in pickle.dumps(fold)
    assert b"_reference" not in pickle.dumps(fold)


def test_engine_restores_what_it_pickled_and_goes_on(engine: ModuleType) -> None:
    fold = engine.AssistantOutputFold()
    fold.extend([turn_start(), chunk("a", seq=2)])
    restored = engine.AssistantOutputFold._from_pickle(state(fold))
    restored.push_text("b")
    restored.push(turn_end())
    said = restored.selection()
    assert (said.text, said.seq, said.index, said.completeness) == ("ab", 2, 1, "complete")
    with pytest.raises(MalformedEventError):
        engine.AssistantOutputFold._from_pickle(state(filled(engine))).push(headless(chunk("x"), "s2"))


@pytest.mark.parametrize("number", [2**53, 2**64 - 1, 2**64, -1, True, 1.0, "1"], ids=repr)
def test_a_pickle_with_numbers_that_are_none_is_refused(engine: ModuleType, number: Any) -> None:
    """spec S10: nothing that is counted on from there overflows."""

    def refused(tampered: dict[str, Any]) -> None:
        with pytest.raises(
            ValueError, match=r"^a pickled fold holds .* where an integer from 0 to 2\^53 - 1 belongs$"
        ) as info:
            engine.AssistantOutputFold._from_pickle(tampered)
        assert repr(number) in str(info.value)

    fold = engine.AssistantOutputFold()
    fold.push(chunk("x"))
    fold.feed(b"da", framing="sse")
    streamed = state(fold)
    refused(streamed | {"count": number})
    for at in range(4):
        places = list(streamed["text_place"])
        places[at] = number
        refused(streamed | {"text_place": tuple(places)})
    for name in ("offset", "line", "records", "head_offset"):
        refused(streamed | {"feeding": streamed["feeding"] | {name: number}})
    fold = engine.AssistantOutputFold()
    fold.push(message("x"))
    fold.feed(b'{"type":')
    spoken = state(fold)
    for at in range(3, 7):
        said = list(spoken["message"])
        said[at] = number
        refused(spoken | {"message": tuple(said)})
    for at in (0, 1, 3, 4):
        record = list(spoken["feeding"]["record"])
        record[at] = number
        refused(spoken | {"feeding": spoken["feeding"] | {"record": tuple(record)}})


def test_each_engine_restores_the_others_pickle(both_engines: Any) -> None:
    """Both engines, because it is about the two."""
    for mine, theirs in (both_engines, both_engines[::-1]):
        for fold in (mine.AssistantOutputFold(), filled(mine)):
            restored = theirs.AssistantOutputFold._from_pickle(state(fold))
            assert type(restored) is theirs.AssistantOutputFold
            assert state(restored) == state(fold)


def test_stored_pickle_of_version_1_is_restored(engine: ModuleType) -> None:
    """Pickles outlive releases: this file was written once and stays as it is."""
    restored = pickle.loads(STORED.read_bytes())
    mine = engine.AssistantOutputFold._from_pickle(state(restored))
    said = mine.selection()
    assert (said.text, said.source, said.index, said.seq) == ("", "message", 3, 4)
    assert said.output == [reasoning("hm"), {"type": "image", "n": [1]}]
    assert (said.earlier_text.text, said.stop_reason, said.stop_reason_raw) == ("said", "refusal", "blocked")


def test_pickle_of_another_version_says_so(engine: ModuleType) -> None:
    for version in (0, 3, None):
        with pytest.raises(
            ValueError, match=r"^a fold pickled in version .*, this lastsaid reads versions 1 and 2$"
        ) as caught:
            engine.AssistantOutputFold._from_pickle(state(filled(engine)) | {"version": version})
        assert str(caught.value).startswith(f"a fold pickled in version {version!r},")
    with pytest.raises(ValueError, match="unknown format 'acp'"):
        engine.AssistantOutputFold._from_pickle(state(filled(engine)) | {"format": "acp"})


# --- calls from inside calls


class Calls(Mapping[str, Any]):
    """An event that calls back while it is being read."""

    def __init__(self, event: dict[str, Any], call: Callable[[], Any]) -> None:
        self.event = event
        self.call = call
        self.raised: list[BaseException] = []

    def __getitem__(self, key: str) -> Any:
        try:
            self.call()
        except FoldBusyError as error:
            self.raised.append(error)
        return self.event[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.event)

    def __len__(self) -> int:
        return len(self.event)


INSIDE: dict[str, Callable[[Any], Any]] = {
    "push": lambda fold: fold.push({}),
    "push_text": lambda fold: fold.push_text("no"),
    "push_json": lambda fold: fold.push_json(b"{}"),
    "extend": lambda fold: fold.extend([{}]),
    "extend_text": lambda fold: fold.extend_text(["no"]),
    "extend_json": lambda fold: fold.extend_json(b"{}"),
    "collect": lambda fold: fold.collect(),
    "selection": lambda fold: fold.selection(),
    "text": lambda fold: fold.text,
    "merge": lambda fold: fold.merge(type(fold)()),
    "merge_of_it": lambda fold: type(fold)().merge(fold),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": pickle.dumps,
}


@pytest.mark.parametrize("inside", INSIDE)
def test_call_from_inside_a_call_is_busy_and_changes_nothing(engine: ModuleType, inside: str) -> None:
    """spec S10."""
    fold = engine.AssistantOutputFold()
    fold.push_text("a")
    event = Calls(chunk("b"), lambda: INSIDE[inside](fold))
    fold.push(event)
    assert event.raised
    assert all(isinstance(error, RuntimeError) for error in event.raised)
    assert fold.collect() == [text("ab")]
    assert state(fold)["count"] == 2


@pytest.mark.parametrize("inside", INSIDE)
@pytest.mark.parametrize("outside", ["extend", "extend_text", "extend_json"])
def test_iterator_that_calls_back_is_busy(engine: ModuleType, outside: str, inside: str) -> None:
    """spec S10; the error comes out of the call, and what came before is kept (S5)."""
    fold = engine.AssistantOutputFold()
    member = {"extend": chunk("a"), "extend_text": "a", "extend_json": jsonl(chunk("a"))}[outside]

    def members() -> Iterator[Any]:
        yield member
        INSIDE[inside](fold)
        yield member

    with pytest.raises(FoldBusyError, match="the fold is in the middle of another call on this thread"):
        getattr(fold, outside)(members())
    assert fold.collect() == [text("a")]
    fold.push_text("b")
    assert fold.text == "ab"


def test_other_folds_may_be_called_from_inside(engine: ModuleType) -> None:
    fold, other = engine.AssistantOutputFold(), engine.AssistantOutputFold()
    event = Calls(chunk("a"), lambda: other.push_text("b"))
    fold.push(event)
    assert not event.raised
    assert fold.text == "a"
    assert set(other.text) == {"b"}


def test_fold_is_free_again_after_an_error(engine: ModuleType) -> None:
    fold = engine.AssistantOutputFold()
    for call in (
        lambda: fold.push(None),
        lambda: fold.push_text(3),
        lambda: fold.extend(3),
        lambda: fold.push_json(b""),
    ):
        with pytest.raises((ValueError, TypeError)):
            call()
    fold.push_text("a")
    assert fold.text == "a"


# --- threads


def in_threads(*calls: Callable[[], Any]) -> None:
    """Run all at once; the first error of any comes out."""
    gate = threading.Barrier(len(calls))
    errors: list[BaseException] = []

    def run(call: Callable[[], Any]) -> None:
        try:
            gate.wait(WAIT)
            call()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
        assert not thread.is_alive()
    if errors:
        raise errors[0]


def test_one_fold_takes_pushes_from_many_threads(engine: ModuleType) -> None:
    """spec S10: calls are serialised, none is lost."""
    fold = engine.AssistantOutputFold()
    line = jsonl(chunk("c"))

    def work() -> None:
        for _ in range(100):
            fold.push_text("a")
            fold.push(chunk("b"))
            fold.push_json(line)
            fold.collect()
            fold.selection()

    in_threads(*[work] * 8)
    assert sorted(fold.text) == sorted("abc" * 800)
    assert state(fold)["count"] == 2400


def test_an_extend_is_one_call(engine: ModuleType) -> None:
    """spec S10: what one thread extends isn't mixed with another's."""
    fold = engine.AssistantOutputFold()
    in_threads(*[lambda letter=letter: fold.extend(chunk(letter) for _ in range(200)) for letter in "abcd"])
    runs = [fold.text[at : at + 200] for at in range(0, 800, 200)]
    assert sorted(runs) == [letter * 200 for letter in "abcd"]


def test_a_thread_waits_for_the_call_of_another(engine: ModuleType) -> None:
    """spec S10: and is not told that the fold is busy."""
    fold = engine.AssistantOutputFold()
    inside = threading.Event()
    started = threading.Event()

    def pieces() -> Iterator[str]:
        yield "a"
        inside.set()
        assert started.wait(WAIT)
        yield "b"

    def other() -> None:
        assert inside.wait(WAIT)
        started.set()
        fold.push_text("c")

    in_threads(lambda: fold.extend_text(pieces()), other)
    assert fold.text == "abc"


def test_two_folds_merge_both_ways_at_once(engine: ModuleType) -> None:
    """No deadlock, whichever is locked first."""
    first, second = engine.AssistantOutputFold(), engine.AssistantOutputFold()
    first.push_text("a")
    second.push_text("b")

    def work(one: Any, other: Any, expected: str) -> None:
        for _ in range(300):
            assert one.merge(other).text == expected

    in_threads(
        lambda: work(first, second, "ab"),
        lambda: work(second, first, "ba"),
        lambda: work(first, first, "aa"),
    )


def test_engines_merge_across_threads_without_deadlock(both_engines: Any) -> None:
    """Both engines, because a merge of the two goes through both locks."""
    rust, python = (engine.AssistantOutputFold() for engine in both_engines)
    rust.push_text("r")
    python.push_text("p")

    def work(one: Any, other: Any, expected: str) -> None:
        for _ in range(200):
            assert one.merge(other).text == expected

    in_threads(lambda: work(rust, python, "rp"), lambda: work(python, rust, "pr"))


def test_reading_the_same_log_in_many_threads_gives_the_same(engine: ModuleType, log_path: Path) -> None:
    log = jsonl(header(), *[chunk("a")] * 500, turn_end())
    log_path.write_bytes(log)

    def work() -> None:
        for _ in range(5):
            assert engine.read(log_path).text == engine.read_bytes(log).text == "a" * 500

    in_threads(*[work] * 6)


def test_a_fold_can_be_referred_to_weakly_and_is_no_base_class(engine):
    import weakref

    fold = engine.AssistantOutputFold()
    assert weakref.ref(fold)() is fold
    with pytest.raises(TypeError, match="is not an acceptable base type"):
        type("Mine", (engine.AssistantOutputFold,), {})


def test_a_pickle_with_the_largest_count_breaks_nothing(engine):
    """spec S10: pickles come from elsewhere; counts of any size are no crash."""
    state = engine.AssistantOutputFold().__reduce__()[1][0] | {"count": 2**53 - 1}
    fold = engine.AssistantOutputFold._from_pickle(state)
    fold.push_text("a")
    fold.merge(fold)
    assert fold.text == "a"
