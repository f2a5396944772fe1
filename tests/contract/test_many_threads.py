"""`read_many`: how paths are taken, progress told and threads stopped (spec S5, S10). What comes out: test_many.py."""

from __future__ import annotations

import gc
import json
import os
import pickle
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import lastsaid
from dsh_events import header, jsonl, message
from ways import texts_of

THREADS = [None, 1, 2, 5]
AHEAD = 32
WAIT = 30
TASKS = Path("/proc/self/task")


def tasks() -> int:
    """The threads of this process, as the system counts them: those of the Rust engine are none of Python's."""
    return len(list(TASKS.iterdir())) if TASKS.exists() else threading.active_count()


def come_true(what: Callable[[], bool]) -> bool:
    until = time.monotonic() + WAIT
    while not what() and time.monotonic() < until:
        time.sleep(0.001)
    return what()


def test_as_many_threads_as_one_likes(engine: ModuleType, logs: Any) -> None:
    """More than 256 are 256, and no more begin than there are logs."""
    before = tasks()
    answers = engine.read_many(logs(3), threads=2**80)
    assert next(answers).text == "0"
    assert tasks() <= before + 3
    assert texts_of(answers) == ["1", "2"]


# --- paths are taken as they are needed


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_paths_are_taken_lazily(engine: ModuleType, logs: Any, threads: int) -> None:
    """spec S5 paths: at most 32 a thread ahead, with one thread none."""
    path = logs(1)[0]
    taken = 0

    def endless() -> Iterator[Path]:
        nonlocal taken
        while True:
            taken += 1
            yield path

    answers = engine.read_many(endless(), threads=threads)
    assert taken == 0
    ahead = 0 if threads == 1 else AHEAD * threads
    for given in range(1, 500):
        assert next(answers).text == "0"
        assert given <= taken <= given + ahead
    answers.close()
    assert list(answers) == []


@pytest.mark.parametrize("threads", THREADS)
def test_what_paths_raise_comes_after_the_answers_before_it(engine: ModuleType, logs: Any, threads: int | None) -> None:
    paths = logs(50)

    def broken() -> Iterator[Path]:
        yield from paths
        raise LookupError("no more")

    answers = engine.read_many(broken(), threads=threads)
    for number in range(50):
        assert next(answers).text == str(number)
    with pytest.raises(LookupError, match=r"^no more$"):
        next(answers)
    assert list(answers) == []


@pytest.mark.skipif(not TASKS.exists(), reason="no /proc here")
def test_few_files_are_open_at_a_time(engine: ModuleType, logs: Any) -> None:
    import resource

    paths = logs(200) * 20
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = max(map(int, os.listdir("/proc/self/fd")))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 10, before[1]))
    try:
        assert sum(answer.text == "7" for answer in engine.read_many(paths, threads=4)) == 20
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


# --- progress


@pytest.mark.parametrize("threads", THREADS)
def test_progress_is_told_now_and_then_and_at_the_end(engine: ModuleType, logs: Any, threads: int | None) -> None:
    """spec S5 progress: in the thread that iterates, at most ten times a second and at the end."""
    paths = logs(30)
    told: list[tuple[int, int | None]] = []

    def progress(done: int, total: int | None) -> None:
        assert threading.current_thread() is threading.main_thread()
        assert done in (len(given), len(given) + 1)
        told.append((done, total))

    def take(paths: Any) -> None:
        told.clear()
        given.clear()
        for answer in engine.read_many(paths, threads=threads, progress=progress):
            given.append(answer)
            time.sleep(0.01)

    given: list[Any] = []
    begin = time.monotonic()
    take(paths)
    assert told[-1] == (30, 30)
    assert 2 <= len(told) <= 1 + (time.monotonic() - begin) / 0.1
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert {total for _, total in told} == {30}
    take(iter(paths))
    assert {total for _, total in told[:-1]} == {None}
    assert told[-1] == (30, 30)
    take([])
    assert told == [(0, 0)]


def test_progress_that_raises_ends_the_reading(engine: ModuleType, logs: Any) -> None:
    before = tasks()

    def progress(done: int, total: int | None) -> None:
        raise LookupError(f"{done} of {total}")

    answers = engine.read_many(logs(3), progress=progress)
    for _ in range(3):
        next(answers)
    with pytest.raises(LookupError, match=r"^3 of 3$"):
        next(answers)
    assert list(answers) == []
    assert come_true(lambda: tasks() == before)


# --- leaving


@pytest.mark.parametrize("leave", ["close", "break", "del", "cycle", "error"])
def test_leaving_stops_the_threads(engine: ModuleType, logs: Any, leave: str) -> None:
    """spec S10: no thread is left."""
    paths = logs(20)
    before = tasks()

    def endless() -> Iterator[Path]:
        while True:
            yield from paths

    answers = engine.read_many(endless(), threads=3)
    assert next(answers).text == "0"
    if engine.ENGINE == "rust":
        assert tasks() > before
    if leave == "close":
        answers.close()
        answers.close()
        assert list(answers) == []
    elif leave == "break":
        for _ in answers:
            break
        del answers, _
    elif leave == "del":
        del answers
    elif leave == "cycle":
        gone = weakref.ref(answers)

        class Holds:
            held: Any

            def progress(self, done: int, total: int | None) -> None: ...

        holder = Holds()
        holder.held = engine.read_many(endless(), threads=3, progress=holder.progress)
        next(holder.held)
        gone = weakref.ref(holder.held)
        del holder, answers
        gc.collect()
        assert gone() is None
    else:

        def fails() -> None:
            for _ in engine.read_many(endless(), threads=3):
                raise LookupError

        with pytest.raises(LookupError):
            fails()
        del answers
    assert come_true(lambda: tasks() == before)


def test_leaving_amid_long_logs_is_quick(engine: ModuleType, tmp_path: Path) -> None:
    """spec S10: the threads look up between blocks."""
    long = tmp_path / "long"
    with long.open("wb") as file:
        file.write(jsonl(header(), message("no"), {"type": "x/y"}))
        file.seek(1 << 36)
        file.write(b"\n")
    short = tmp_path / "short"
    short.write_bytes(jsonl(header(), message("short")))
    answers = engine.read_many([short, *[long] * 9], start=0, threads=4)
    assert next(answers).text == "short"
    time.sleep(0.05)
    begin = time.monotonic()
    answers.close()
    assert time.monotonic() - begin < 5


def test_another_thread_may_close(engine: ModuleType, tmp_path: Path) -> None:
    """spec S10: who waits for an answer is told that there are no more."""
    answers: Any = None
    inside = threading.Event()

    def paths() -> Iterator[Path]:
        inside.set()
        while True:
            time.sleep(0.01)
            yield tmp_path

    answers = engine.read_many(paths(), threads=2)
    thread = threading.Thread(target=lambda: list(answers), daemon=True)
    thread.start()
    assert inside.wait(WAIT)
    answers.close()
    thread.join(WAIT)
    assert not thread.is_alive()


def test_several_threads_share_the_answers(engine: ModuleType, logs: Any) -> None:
    """spec S10: each answer is given to one of them."""
    answers = engine.read_many(logs(200))
    got: list[list[str]] = [[], [], [], []]

    def take(mine: list[str]) -> None:
        mine.extend(texts_of(answers))

    threads = [threading.Thread(target=take, args=(mine,), daemon=True) for mine in got]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    assert sorted(int(said) for mine in got for said in mine) == list(range(200))
    assert all(mine == sorted(mine, key=int) for mine in got)


@pytest.mark.parametrize("call", ["next", "close"])
@pytest.mark.parametrize("threads", THREADS)
def test_calls_from_inside_are_refused(engine: ModuleType, logs: Any, call: str, threads: int | None) -> None:
    """spec S10."""
    path = logs(1)[0]
    refused: list[str] = []
    answers: Any = None

    def back() -> None:
        try:
            next(answers) if call == "next" else answers.close()
        except RuntimeError as error:
            refused.append(str(error))

    def paths() -> Iterator[Path]:
        back()
        yield path

    answers = engine.read_many(paths(), threads=threads, progress=lambda done, total: back())
    assert texts_of(answers) == ["0"]
    assert refused == ["read_many is in the middle of another call on this thread"] * 2


def test_answers_are_an_iterator_and_nothing_to_keep(engine: ModuleType, logs: Any) -> None:
    answers = engine.read_many(logs(1))
    assert iter(answers) is answers
    assert isinstance(answers, Iterator)
    assert type(answers).__name__ == "Answers"
    assert type(answers).__module__ == "lastsaid"
    with pytest.raises((TypeError, pickle.PicklingError)):
        pickle.dumps(answers)
    with pytest.raises(AttributeError):
        answers.anything = 3
    assert {name for name in dir(answers) if not name.startswith("_")} == {"close"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_child_of_a_fork_ends(engine: ModuleType, logs: Any) -> None:
    """It may not go on, and it hangs nowhere."""
    answers = engine.read_many(logs(500), threads=2)
    next(answers)
    child = os.fork()
    if child == 0:
        try:
            for _ in answers:
                pass
        except RuntimeError:
            pass
        del answers
        os._exit(7)
    ended: list[int] = []

    def has_ended() -> bool:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            ended.append(os.waitstatus_to_exitcode(status))
        return bool(ended)

    try:
        assert come_true(lambda: bool(ended) or has_ended())
    finally:
        if not ended:
            os.kill(child, 9)
    assert ended == [7]


def test_json_of_every_answer(engine: ModuleType, logs: Any) -> None:
    rows = [json.dumps(answer.to_dict()) for answer in engine.read_many(logs(3))]
    assert len(rows) == 3
    assert lastsaid.read_many.__name__ == "read_many"
