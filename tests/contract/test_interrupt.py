"""Ctrl-C ends every reading soon, whatever is read (spec S10)."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from dsh_events import header, jsonl, message

WAIT = 30
# Soon for a person is a tenth of that; machines that test are busy.
SOON = 2.0
CHILD = """
import os, sys, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import {module} as engine
path = sys.argv[1]
print("begun", flush=True)
try:
    {call}
    print("ended", flush=True)
except KeyboardInterrupt:
    # The system takes a moment to forget a thread that is gone.
    until = time.monotonic() + 1
    while os.path.exists("/proc/self/task") and len(os.listdir("/proc/self/task")) > 1 and time.monotonic() < until:
        time.sleep(0.001)
    print("interrupted" if time.monotonic() < until else "interrupted, and threads are left", flush=True)
"""
SIZE = 1 << 37


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A log that takes minutes to read and no room: most of it is a hole in the file."""
    path = tmp_path / "endless"
    with path.open("wb") as file:
        file.write(jsonl(header(), message("no"), {"type": "x/y"}))
        file.seek(SIZE)
        file.write(b"\n")
    return path


@pytest.fixture
def compressed(tmp_path: Path) -> Path:
    """A log that takes long to decompress: the same member again and again."""
    path = tmp_path / "compressed"
    lines = jsonl(header(), message("no")) + jsonl({"type": "x/y", "of": os.urandom(600).hex()}) * 10_000
    member = gzip.compress(lines, 1)
    with path.open("wb") as file:
        for _ in range(400):
            file.write(member)
    return path


def interrupted(engine: ModuleType, call: str, path: Path) -> str:
    """What a child says that is interrupted amid a call, and it must be soon."""
    code = CHILD.format(module=engine.__name__, call=call)
    child = subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        time.sleep(0.4)
        begin = time.monotonic()
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate(timeout=WAIT)
        took = time.monotonic() - begin
    finally:
        child.kill()
    assert took < SOON
    return said


CALLS = {
    "read": "engine.read(path)",
    "read forward": "engine.read(path, start=0)",
    "read on threads": "engine.read(path, **({'threads': 3}))",
    "read_sessions": "engine.read_sessions(path, explain=True)",
    "check": "engine.check(path)",
    "read_many": "list(engine.read_many([path] * 5))",
    "read_many on one thread": "list(engine.read_many([path] * 5, threads=1))",
    "read_many on threads": "list(engine.read_many([path] * 5, threads=3))",
}


@pytest.mark.parametrize("name", CALLS)
def test_a_large_file(engine: ModuleType, endless: Path, name: str) -> None:
    assert interrupted(engine, CALLS[name], endless) == "interrupted\n"


@pytest.mark.parametrize("name", ["read", "check", "read_many"])
def test_a_compressed_file(engine: ModuleType, compressed: Path, name: str) -> None:
    assert interrupted(engine, CALLS[name], compressed) == "interrupted\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("name", ["read", "check", "read_many"])
def test_a_pipe_to_which_nobody_writes(engine: ModuleType, tmp_path: Path, name: str) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert interrupted(engine, CALLS[name], path) == "interrupted\n"


def test_a_large_buffer(engine: ModuleType, tmp_path: Path) -> None:
    """Many times over, so that some call is interrupted amid the core."""
    call = "data = b'{}\\n' * (1 << 25)\n    while True: engine.read_bytes(data, start=0)"
    assert interrupted(engine, call, tmp_path) == "interrupted\n"


def test_paths_that_wait(engine: ModuleType, tmp_path: Path) -> None:
    call = "import time\n    list(engine.read_many(path for _ in iter(lambda: time.sleep(0.01), 3)))"
    assert interrupted(engine, call, tmp_path) == "interrupted\n"
