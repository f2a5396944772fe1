"""Threads, calls from inside calls, and buffers that change meanwhile (spec S10). See also test_sharing.py."""

from __future__ import annotations

import copy
import gc
import io
import json
import pickle
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, chunk, header, jsonl, message, text, turn_end, turn_start
from lastsaid import FoldBusyError
from ways import answer

WAIT = 30
SECONDS = 0.4


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

    threads = [threading.Thread(target=run, args=(call,), daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
        assert not thread.is_alive(), "a thread hangs"
    if errors:
        raise errors[0]


def state(fold: Any) -> dict[str, Any]:
    return fold.__reduce__()[1][0]


# --- one fold, many threads


def test_every_call_on_one_fold_from_many_threads(engine: ModuleType) -> None:
    """spec S10: each call sees the fold between two others, never amid one."""
    fold = engine.AssistantOutputFold()
    fold.push_text("a")

    def push() -> None:
        for _ in range(150):
            fold.extend([chunk("b"), chunk("c")])

    def look() -> None:
        for _ in range(150):
            for said in (fold.text, fold.selection().text, copy.copy(fold).text, pickle.loads(pickle.dumps(fold)).text):
                assert said == "a" + "bc" * (len(said) // 2)
            assert fold.merge(fold).text.count("a") == 2

    in_threads(push, push, push, look, look)
    assert fold.text == "a" + "bc" * 450
    assert state(fold)["count"] == 901


def test_streams_are_fed_by_many_threads_one_chunk_after_the_other(engine: ModuleType) -> None:
    """spec S5 feed, S10: chunks of whole lines are never mixed."""
    fold = engine.AssistantOutputFold()
    lines = jsonl(header(), *[chunk(letter) for letter in "ab" * 30])
    in_threads(*[lambda: [fold.feed(lines) for _ in range(20)]] * 4)
    fold.end()
    assert fold.text == "ab" * 30 * 80


def test_a_message_is_never_seen_in_halves(engine: ModuleType) -> None:
    """spec S10: the text, the blocks and the end of a turn belong to one state."""
    fold = engine.AssistantOutputFold()

    def turn(words: str) -> list[Any]:
        return [turn_start(), message(words), turn_end("completed" if words == "one" else "error")]

    def push() -> None:
        for number in range(200):
            fold.extend(turn("one" if number % 2 else "other"))

    def look() -> None:
        for _ in range(300):
            said = fold.selection()
            if said:
                assert said.completeness == ("complete" if said.text == "one" else "error")
                assert said.output == [text(said.text)]

    in_threads(push, look, look)


def test_lists_that_another_thread_changes_are_read_without_a_crash(engine: ModuleType) -> None:
    """Whatever is there when it is looked at is read."""
    events: list[Any] = [header(), *[chunk("a")] * 50]
    until = time.monotonic() + SECONDS

    def change() -> None:
        while time.monotonic() < until:
            events.append(message("b"))
            del events[5:]
            events.extend([chunk("a")] * 20)

    def look() -> None:
        while time.monotonic() < until:
            assert set(engine.select(events).text) <= {"a", "b"}
            engine.suffix_start(events)
            fold = engine.AssistantOutputFold()
            fold.extend(events)

    in_threads(change, look, look)


# --- buffers that change during a call


def log_of(letter: str, size: int) -> bytes:
    return jsonl(header(), *[attempt(letter * 50)] * size, turn_end("completed" if letter == "a" else "error"))


FIRST, SECOND = log_of("a", 400), log_of("b", 400).replace(b'"error"}', b'"error"}    ')


def calls_on_buffers(engine: ModuleType) -> dict[str, Callable[[Any], str]]:
    """Ways to the text of a buffer."""

    def pushed(feed: Callable[[Any, Any], Any]) -> Callable[[Any], str]:
        def call(buffer: Any) -> str:
            fold = engine.AssistantOutputFold()
            feed(fold, buffer)
            return fold.text

        return call

    return {
        "read_bytes": lambda buffer: engine.read_bytes(buffer).text,
        "extend_json": pushed(lambda fold, buffer: fold.extend_json(buffer)),
        "extend_json of views": pushed(lambda fold, buffer: fold.extend_json(memoryview(buffer))),
        "feed": pushed(lambda fold, buffer: (fold.feed(buffer), fold.end())),
    }


@pytest.mark.parametrize("name", ["read_bytes", "extend_json", "extend_json of views", "feed"])
def test_buffer_that_changes_during_a_call_is_read_as_it_was_at_one_moment(engine: ModuleType, name: str) -> None:
    """spec S10: copied before the GIL is released."""
    assert len(FIRST) == len(SECOND)
    call = calls_on_buffers(engine)[name]
    buffer = bytearray(FIRST)
    until = time.monotonic() + SECONDS
    whole = {engine.read_bytes(log).text for log in (FIRST, SECOND)}
    seen = set()

    def change() -> None:
        turn = 0
        while time.monotonic() < until:
            turn += 1
            buffer[:] = SECOND if turn % 2 else FIRST

    def look() -> None:
        while time.monotonic() < until:
            seen.add(call(buffer))

    in_threads(change, look, look)
    assert seen <= whole


def test_buffer_is_free_to_shrink_after_a_call(engine: ModuleType) -> None:
    """spec S10: no view of it stays behind, also when the call failed."""
    for data in (bytearray(FIRST), bytearray(b'{"type":"assistant/message"}\n')):
        fold = engine.AssistantOutputFold()
        for call in (engine.read_bytes, fold.push_json, fold.extend_json, fold.feed):
            try:
                call(data)
            except ValueError as error:
                kept = error  # An error that is kept keeps no view either.
                assert kept
            data.append(0x20)
            data.pop()
        data.clear()


# --- calls from inside calls


def test_file_that_calls_back_while_it_is_read(engine: ModuleType) -> None:
    """spec S10: another call of a function is no call on the same fold."""
    log = jsonl(header(), message("outer"))
    fold = engine.AssistantOutputFold()

    class Calls(io.RawIOBase):
        def __init__(self) -> None:
            self.memory = io.BytesIO(log)

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            assert engine.read_bytes(jsonl(message("inner"))).text == "inner"
            fold.push_text("x")
            return self.memory.readinto(buffer)

    assert engine.read(Calls()).text == "outer"
    assert set(fold.text) == {"x"}


def test_dying_content_that_calls_its_fold_hangs_nothing(engine: ModuleType) -> None:
    """spec S10: what a fold lets go may run code of its own, even amid the call that lets it go."""
    fold = engine.AssistantOutputFold()
    said: list[Any] = []

    class Blocks(list[Any]):
        def __del__(self) -> None:
            try:
                said.append(fold.text)
                fold.push_text("no")
            except FoldBusyError as error:
                said.append(error)

    for number in range(3):
        event = message()
        event["data"]["message"]["content"] = Blocks([text(str(number))])
        in_threads(lambda event=event: fold.push(event))
        del event
    in_threads(lambda: fold.push(message("last")))
    gc.collect()
    assert len(said) >= 2
    assert fold.text == "last"


def test_comparing_strings_that_call_back(engine: ModuleType) -> None:
    """Keys of a mapping may be anything; what they do when they are compared is theirs."""

    class Key(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            gc.collect()
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    fold = engine.AssistantOutputFold()
    fold.push({Key("type"): "assistant/chunk", Key("data"): {Key("chunk"): {"type": "text-delta", Key("text"): "a"}}})
    assert fold.text == "a"


def test_event_that_is_changed_while_it_is_read(engine: ModuleType) -> None:
    """A list that its own members change ends where it ends; no crash."""
    stream: list[Any] = []

    class Shrinks(dict[str, Any]):
        pass

    class Record(Mapping[str, Any]):
        def __getitem__(self, key: str) -> Any:
            stream.clear()
            return {"type": "text-chunks", "texts": ["a"]}[key]

        def __iter__(self) -> Iterator[str]:
            return iter(("type", "texts"))

        def __len__(self) -> int:
            return 2

    stream.extend([Record(), Shrinks(), Record()])
    fold = engine.AssistantOutputFold()
    fold.push({"type": "assistant/attempt", "data": {"stream": stream}})
    assert fold.text in ("", "a")


def test_thread_that_waits_is_not_starved_by_an_error(engine: ModuleType) -> None:
    """spec S10: a call that fails lets the next one in."""
    fold = engine.AssistantOutputFold()
    inside = threading.Event()

    def broken() -> Iterator[Any]:
        yield chunk("a")
        inside.set()
        time.sleep(0.05)
        raise ZeroDivisionError

    def fails() -> None:
        with pytest.raises(ZeroDivisionError):
            fold.extend(broken())

    def waits() -> None:
        assert inside.wait(WAIT)
        fold.push_text("b")

    in_threads(fails, waits)
    assert fold.text == "ab"


def test_work_on_bytes_lets_other_threads_run(engine: ModuleType) -> None:
    """spec S10: it releases the GIL; the pure engine lets others in as all of Python does."""
    log = jsonl(header(), *[attempt("x" * 200)] * 20_000)
    ticks = 0
    stop = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not stop.is_set():
            ticks += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try:
        for _ in range(3):
            before = ticks
            engine.read_bytes(log, suffix="whole")
    finally:
        stop.set()
        thread.join(WAIT)
    assert ticks > before


def test_selection_of_many_threads_is_one(engine: ModuleType) -> None:
    fold = engine.AssistantOutputFold()
    fold.push(message("a", id="m", seq=3))
    found: list[str] = []
    in_threads(*[lambda: found.append(json.dumps(answer(fold.selection())))] * 6)
    assert len(set(found)) == 1
