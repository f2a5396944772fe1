"""Who takes part, by name: the two engines and the peers."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import peers
from lastsaid._protocol import Engine
from lastsaid.engine import engine_named

ENGINES: Final = ("rust", "python")
FLOOR: Final = "floor"
READERS: Final = (*ENGINES, *peers.FILES)


def has_rust() -> bool:
    return importlib.util.find_spec("lastsaid._core") is not None


def engine(name: str) -> Engine:
    return engine_named(name)


def file_reader(name: str) -> Callable[[Path], Any]:
    """From a path to output blocks."""
    if name in ENGINES:
        read = engine(name).read
        return lambda path: read(path).output
    return peers.FILES[name]


def bytes_reader(name: str) -> Callable[[bytes], Any]:
    """From bytes in memory to output blocks."""
    if name in ENGINES:
        read_bytes = engine(name).read_bytes
        return lambda data: read_bytes(data).output
    return peers.BYTES[name]
