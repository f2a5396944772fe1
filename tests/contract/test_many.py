"""`read_many`: what comes out for which path (spec S5 read_many). How it is read: test_many_threads.py."""

from __future__ import annotations

import gzip
import os
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, header, jsonl, message, notification, turn_end, turn_start
from lastsaid import AmbiguousLogError, MalformedEventError, Selection, SessionNotFoundError, TurnNotFoundError
from ways import texts_of

THREADS = [None, 1, 2, 5]
WAIT = 30


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
    assert texts_of(engine.read_many(paths, threads=threads)) == [str(number) for number in range(300)]
    answers = list(engine.read_many(map(str, reversed(paths)), threads=threads))
    assert answers == [engine.read(path) for path in reversed(paths)]


@pytest.mark.parametrize("threads", THREADS)
def test_a_long_log_before_short_ones(engine: ModuleType, logs: Any, tmp_path: Path, threads: int | None) -> None:
    long = tmp_path / "long.jsonl"
    long.write_bytes(jsonl(header(), message("long"), *[{"type": "x/assistant/"}] * 20_000))
    paths = logs(40)
    assert texts_of(engine.read_many([long, *paths, long], threads=threads)) == ["long", *map(str, range(40)), "long"]


def test_paths_of_every_kind(engine: ModuleType, logs: Any) -> None:
    path = logs(1)[0]

    class Named:
        def __fspath__(self) -> bytes:
            return os.fsencode(path)

    class Text(str):
        def __fspath__(self) -> str:
            raise AssertionError("a str is its own path")

    given = [path, str(path), os.fsencode(path), Named(), Text(path), path, path]
    assert texts_of(engine.read_many(given)) == ["0"] * len(given)
    assert texts_of(engine.read_many({path: 3})) == ["0"]
    assert texts_of(engine.read_many([])) == []


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
    assert texts_of(engine.read_many([folder, packed])) == ["folder", "packed"]
    assert texts_of(engine.read_many([several, several], session="b")) == ["b", "b"]
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
    assert texts_of(answers) == ["pipe", "1", ""]
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
    assert texts_of(answers[1::2]) == ["0"] * len(wrong)
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
