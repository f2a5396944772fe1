"""`read_many`: the answers of many logs, in the order of their paths (spec S5 read_many, S10)."""

from __future__ import annotations

import gc
import gzip
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
from dsh_events import attempt, header, jsonl, message, notification, turn_end, turn_start
from lastsaid import AmbiguousLogError, MalformedEventError, Selection, SessionNotFoundError, TurnNotFoundError

THREADS = [None, 1, 2, 5]
AHEAD = 32
WAIT = 30
TASKS = Path("/proc/self/task")


@pytest.fixture
def logs(tmp_path: Path) -> Callable[[int], list[Path]]:
    """Write so many logs, each of which says its number."""

    def write(count: int) -> list[Path]:
        paths = [tmp_path / f"{number:04}.jsonl" for number in range(count)]
        for number, path in enumerate(paths):
            path.write_bytes(jsonl(header(), message(str(number)), turn_end()))
        return paths

    return write


def texts(answers: Any) -> list[str]:
    return [answer.text if isinstance(answer, Selection) else repr(answer) for answer in answers]


def tasks() -> int:
    """The threads of this process, as the system counts them: those of the Rust engine are none of Python's."""
    return len(list(TASKS.iterdir())) if TASKS.exists() else threading.active_count()


def come_true(what: Callable[[], bool]) -> bool:
    until = time.monotonic() + WAIT
    while not what() and time.monotonic() < until:
        time.sleep(0.001)
    return what()


def raised(call: Callable[[], Any]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


# --- what comes out


@pytest.mark.parametrize("threads", THREADS)
def test_answers_come_in_the_order_of_the_paths(engine: ModuleType, logs: Any, threads: int | None) -> None:
    paths = logs(300)
    assert texts(engine.read_many(paths, threads=threads)) == [str(number) for number in range(300)]
    answers = list(engine.read_many(map(str, reversed(paths)), threads=threads))
    assert answers == [engine.read(path) for path in reversed(paths)]


@pytest.mark.parametrize("threads", THREADS)
def test_a_long_log_before_short_ones(engine: ModuleType, logs: Any, tmp_path: Path, threads: int | None) -> None:
    long = tmp_path / "long.jsonl"
    long.write_bytes(jsonl(header(), message("long"), *[{"type": "x/assistant/"}] * 20_000))
    paths = logs(40)
    assert texts(engine.read_many([long, *paths, long], threads=threads)) == ["long", *map(str, range(40)), "long"]


def test_paths_of_every_kind(engine: ModuleType, logs: Any) -> None:
    path = logs(1)[0]

    class Named:
        def __fspath__(self) -> bytes:
            return os.fsencode(path)

    class Text(str):
        def __fspath__(self) -> str:
            raise AssertionError("a str is its own path")

    given = [path, str(path), os.fsencode(path), Named(), Text(path), path, path]
    assert texts(engine.read_many(given)) == ["0"] * len(given)
    assert texts(engine.read_many({path: 3})) == ["0"]
    assert texts(engine.read_many([])) == []


def test_options_are_those_of_read(engine: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(
        jsonl(header(), turn_start(1), message("one"), turn_end(), b"assistant/ no", turn_start(2), attempt("two"))
    )
    for options in (
        {"turn": 1}, {"turn": 2}, {"start": 5}, {"suffix": "whole"}, {"since_seq": 3}, {"explain": True},
        {"on_malformed": "skip"}, {"format": "dsh", "max_record_bytes": 5}, {"max_decompressed_bytes": 1}, {"turn": 9},
    ):  # fmt: skip
        [answer] = engine.read_many([path], **options)
        if isinstance(answer, Selection):
            assert answer == engine.read(path, **options)
        else:
            expected = raised(lambda options=options: engine.read(path, **options))
            assert (type(answer), str(answer)) == (type(expected), str(expected))


def test_sessions_directories_and_compressed_logs(engine: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "session"
    folder.mkdir()
    (folder / "session.v2.jsonl").write_bytes(jsonl(header(), message("folder")))
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(jsonl(header(), message("packed"))))
    several = tmp_path / "several"
    several.write_bytes(jsonl(notification(message("a"), "a"), notification(message("b"), "b")))
    assert texts(engine.read_many([folder, packed])) == ["folder", "packed"]
    assert texts(engine.read_many([several, several], session="b")) == ["b", "b"]
    [answer] = engine.read_many([several])
    assert isinstance(answer, SessionNotFoundError)
    assert answer.sessions == ("a", "b")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("threads", THREADS)
def test_pipes_are_read_when_it_is_their_turn(
    engine: ModuleType, logs: Any, tmp_path: Path, threads: int | None
) -> None:
    """spec S5: what can be opened but once is opened but once, and keeps nobody waiting before."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    first, second = logs(2)
    answers = engine.read_many([first, pipe, second, "/dev/null"], threads=threads)
    assert next(answers).text == "0"
    thread = threading.Thread(target=pipe.write_bytes, args=(jsonl(header(), message("pipe")),), daemon=True)
    thread.start()
    assert texts(answers) == ["pipe", "1", ""]
    thread.join(WAIT)


@pytest.mark.parametrize("threads", THREADS)
def test_errors_are_results_in_their_place(engine: ModuleType, logs: Any, tmp_path: Path, threads: int | None) -> None:
    """spec S5: the exception that `read` would have raised, with the path, and nothing else suffers."""
    sound = logs(1)[0]
    bad = tmp_path / "bad"
    bad.write_bytes(jsonl(header(), b"assistant/ nonsense"))
    both = tmp_path / "both"
    both.mkdir()
    for name in ("session.jsonl", "session.jsonl.zstd"):
        (both / name).touch()
    empty = tmp_path / "empty"
    empty.mkdir()
    odd = tmp_path / "odd"
    (odd / "session.jsonl").mkdir(parents=True)
    gone = tmp_path / "gone"
    wrong = [bad, gone, os.fsencode(gone), empty, both, odd, os.fsencode(odd), str(gone / "x"), "nul\0byte"]
    answers = list(engine.read_many([one for path in wrong for one in (path, sound)], threads=threads))
    assert texts(answers[1::2]) == ["0"] * len(wrong)
    for path, answer in zip(wrong, answers[::2], strict=True):
        expected = raised(lambda path=path: engine.read(path))
        assert (type(answer), str(answer)) == (type(expected), str(expected))
        assert answer.__traceback__ is None
        if isinstance(answer, OSError):
            assert (answer.errno, answer.filename) == (expected.errno, expected.filename)
        elif path != "nul\0byte":
            assert answer.__notes__ == [f"the log is {os.fspath(path)!r}"]
        pickle.loads(pickle.dumps(answer))
    kinds = [type(answer) for answer in answers[::2]]
    assert kinds[:2] == [MalformedEventError, FileNotFoundError]
    assert kinds[3:6] == [IsADirectoryError, AmbiguousLogError, IsADirectoryError]
    assert answers[10].filename == str(odd / "session.jsonl")
    assert answers[12].filename == os.fsencode(odd / "session.jsonl")


def test_a_turn_that_is_not_there(engine: ModuleType, logs: Any) -> None:
    [answer] = engine.read_many(logs(1), turn=2**70)
    assert isinstance(answer, TurnNotFoundError)
    assert answer.turn == 2**70


@pytest.mark.parametrize("threads", THREADS)
def test_what_is_no_path_is_a_result(engine: ModuleType, logs: Any, tmp_path: Path, threads: int | None) -> None:
    path = logs(1)[0]

    class Odd:
        def __init__(self, error: BaseException) -> None:
            self.error = error

        def __fspath__(self) -> str:
            raise self.error

    class Number:
        def __fspath__(self) -> int:
            return 3

    with path.open("rb") as file:
        answers = list(engine.read_many([path, 3, None, file, Odd(KeyError("k")), Number(), path], threads=threads))
    assert [type(answer) for answer in answers] == [Selection, *[TypeError] * 3, KeyError, TypeError, Selection]
    assert str(answers[1]) == "read_many takes paths, not int"
    assert str(answers[3]) == "read_many takes paths, not BufferedReader"
    assert all(answer.__traceback__ is None for answer in answers[1:-1])
    answers = engine.read_many([path, Odd(KeyboardInterrupt()), path], threads=threads)
    assert next(answers).text == "0"
    with pytest.raises(KeyboardInterrupt):
        next(answers)
    assert list(answers) == []


# --- errors of the call


@pytest.mark.parametrize(
    "paths", ["a.jsonl", b"a", bytearray(b"b"), memoryview(b"c"), Path("d"), 3, None], ids=lambda paths: repr(paths)[:9]
)
def test_one_path_is_no_iterable_of_paths(engine: ModuleType, paths: Any) -> None:
    with pytest.raises(TypeError, match=f"^read_many takes an iterable of paths, not {type(paths).__name__}$"):
        engine.read_many(paths)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"threads": 0}, ValueError, "threads is not positive, expected at least 1"),
        ({"threads": -(2**70)}, ValueError, "threads is not positive, expected at least 1"),
        ({"threads": 1.5}, TypeError, "'float' object cannot be interpreted as an integer"),
        ({"progress": 3}, TypeError, "progress takes a callable, not int"),
        ({"turn": 1, "start": 1}, ValueError, "start and turn exclude each other"),
        ({"on_malformed": "x"}, ValueError, "on_malformed is 'x', expected 'raise' or 'skip'"),
        ({"format": "x"}, ValueError, "unknown format 'x'; the formats are dsh"),
        ({"session": 3}, TypeError, "session takes a str, not int"),
    ],
)
def test_errors_of_the_call_are_raised_by_it(
    engine: ModuleType, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as caught:
        engine.read_many([], **options)
    assert str(caught.value) == words


def test_as_many_threads_as_one_likes(engine: ModuleType, logs: Any) -> None:
    """More than 256 are 256, and no more begin than there are logs."""
    before = tasks()
    answers = engine.read_many(logs(3), threads=2**80)
    assert next(answers).text == "0"
    assert tasks() <= before + 3
    assert texts(answers) == ["1", "2"]


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
    assert tasks() == before


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
        mine.extend(texts(answers))

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
    assert texts(answers) == ["0"]
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
