"""Large files that shrink, grow or are replaced while several threads read them (spec S7.16).

The end holds a message without text and only the beginning holds some, so a reader has to go all the way. Whenever
something happens: what was there, or an OSError, and never an answer that misses a part.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conftest import load_engine
from dsh_events import header, message, turn_end
from lastsaid import Selection, SelectionWarning
from recoded import gzipped, zstd
from test_borders import MIB, line, noise

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="an open file can't be cut or replaced there")

SIZE = 24 * MIB
# How many moments are tried; those that are packed take longer.
TRIES = {"plain": 16, "zstd": 6, "gzip": 4}
HEAD = line(header()) + line(message("first", seq=1))
TAIL = line(message({"type": "tool-call", "id": "c"}, seq=9)) + line(turn_end("max-tokens"))
APPENDED = line(message("appended", seq=10))


def plain() -> bytes:
    return HEAD + noise(30_011) * (SIZE // 30_011) + TAIL


def packed(pack: Callable[[bytes], bytes]) -> bytes:
    """Frames or members that hardly become smaller."""
    choice = random.Random(6)
    parts = [line({"type": "tool/result", "data": choice.randbytes(200_000).hex()}) for _ in range(10)]
    return b"".join(map(pack, [HEAD, *parts, TAIL]))


ENCODED = {"plain": plain, "zstd": lambda: packed(zstd.compress), "gzip": lambda: packed(gzipped)}


@pytest.fixture(scope="module")
def rust() -> ModuleType:
    return load_engine("rust")


@pytest.fixture(scope="module", params=ENCODED)
def original(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("original") / f"{request.param}.jsonl"
    path.write_bytes(ENCODED[request.param]())
    return path


def is_all(said: Selection) -> bool:
    """Whether that is the answer of the whole log."""
    if (said.seq, said.stop_reason, said.warnings) != (9, "max-tokens", (SelectionWarning.TEXTLESS,)):
        return False
    return said.earlier_text is not None and (said.earlier_text.text, said.earlier_text.seq) == ("first", 1)


def duration(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


@contextmanager
def soon(change: Callable[[], Any], delay: float) -> Iterator[None]:
    """It happens so many seconds after the reading began."""
    began = threading.Event()

    def wait() -> None:
        began.wait()
        until = time.perf_counter() + delay
        while time.perf_counter() < until:
            pass
        change()

    thread = threading.Thread(target=wait)
    thread.start()
    began.set()
    try:
        yield
    finally:
        thread.join()


def while_read(
    read: Callable[[Path], Selection], original: Path, path: Path, change: Callable[[Path], Any]
) -> Iterator[Selection | OSError]:
    """What is said while it happens, at moments spread over the reading."""
    whole = min(duration(lambda: read(original)) for _ in range(2))
    for number in range(TRIES[original.stem]):
        shutil.copyfile(original, path)
        with soon(lambda: change(path), whole * number / TRIES[original.stem]):
            try:
                found: Selection | OSError = read(path)
            except OSError as error:
                found = error
        yield found


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("kept", [0.5, 0.0, 0.99])
def test_a_large_file_that_shrinks(rust: ModuleType, original: Path, threads: int, kept: float, log_path: Path) -> None:
    def shrink(path: Path) -> None:
        os.truncate(path, int(original.stat().st_size * kept))

    for said in while_read(lambda path: rust.read(path, threads=threads), original, log_path, shrink):
        if isinstance(said, OSError):
            assert str(said)
            continue
        # Or it shrank before it was opened, when the first message is the last.
        assert is_all(said) or said.text == ("first" if kept else "")
        assert is_all(said) or said.earlier_text is None


@pytest.mark.parametrize("threads", [1, 3])
def test_what_is_appended_to_a_large_file(rust: ModuleType, original: Path, threads: int, log_path: Path) -> None:
    """Once it is being read it isn't seen; before, it is the answer."""
    more = {"plain": bytes, "zstd": zstd.compress, "gzip": gzipped}[original.stem](APPENDED)

    def append(path: Path) -> None:
        with path.open("ab") as file:
            file.write(more)

    for said in while_read(lambda path: rust.read(path, threads=threads), original, log_path, append):
        assert isinstance(said, Selection)
        assert is_all(said) or said.text == "appended"
        assert rust.read(log_path).text == "appended"


@pytest.mark.parametrize("threads", [1, 3])
def test_a_large_file_that_is_replaced(rust: ModuleType, original: Path, threads: int, log_path: Path) -> None:
    """The one or the other, never some of both."""
    other = log_path.with_name("other")

    def replace(path: Path) -> None:
        other.write_bytes(line(header()) + APPENDED)
        os.replace(other, path)

    for said in while_read(lambda path: rust.read(path, threads=threads), original, log_path, replace):
        assert isinstance(said, Selection)
        assert is_all(said) or (said.text, said.warnings) == ("appended", ())


def test_many_logs_of_which_some_shrink(rust: ModuleType, original: Path, tmp_path: Path) -> None:
    """spec S5 `read_many`: each has its answer or its OSError; one that shrinks takes nothing from the others."""
    paths = [tmp_path / f"{number}.jsonl" for number in range(4)]
    for _ in range(4):
        for path in paths:
            shutil.copyfile(original, path)
        with soon(lambda: [os.truncate(path, 20_000) for path in paths[::2]], 0.004):
            found = list(rust.read_many(paths, threads=3))
        for number, said in enumerate(found):
            if number % 2:
                assert isinstance(said, Selection)
                assert is_all(said)
            else:
                assert isinstance(said, OSError) or is_all(said) or said.text == "first"
