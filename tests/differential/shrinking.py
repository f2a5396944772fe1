"""A smaller case that still differs: fewer lines, events, steps, options, shorter bytes and texts, smaller numbers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from differential.cases import Bench, Case
from differential.comparison import Difference
from differential.kinds import KINDS

# What is tried for a value before it is cut into: the plainest of its type.
_PLAIN = {str: "", bytes: b"", int: 0, float: 0, list: [], dict: {}, bool: False}


def shrunk(bench: Bench, case: Case, seconds: float = 20.0) -> tuple[Case, Difference]:
    """The smallest case found in that time, and how it differs."""
    found = bench.differ(case)
    if found is None:
        raise ValueError("the case doesn't differ")
    until = time.monotonic() + seconds
    best = [case, found]

    def differs(data: Any) -> bool:
        """Whether smaller data still differ, which makes them the best. What can't even be asked doesn't."""
        smaller = Case(case.kind, data)
        try:
            difference = bench.differ(smaller)
        except Exception:
            return False
        if difference is not None:
            best[:] = [smaller, difference]
        return difference is not None

    while time.monotonic() < until and _step(best[0].data, KINDS[case.kind].WORDS, differs, until):
        pass
    return best[0], best[1]


def _step(data: dict[str, Any], words: frozenset[str], differs: Callable[[Any], bool], until: float) -> bool:
    """Take the first smaller data that still differ."""
    for smaller in _smaller(data, words, keep_keys=True):
        if time.monotonic() > until:
            return False
        if differs(smaller):
            return True
    return False


def _smaller(value: Any, words: frozenset[str], *, keep_keys: bool = False) -> Iterator[Any]:
    """Values that are a little smaller, the boldest first. The outermost keys are what a kind needs, so they stay."""
    if isinstance(value, dict):
        if not keep_keys:
            for key in value:
                yield {name: inner for name, inner in value.items() if name != key}
        for key, inner in value.items():
            for smaller in _smaller(inner, words):
                yield {**value, key: smaller}
    elif isinstance(value, list):
        yield from _fewer(value)
        for at, inner in enumerate(value):
            for smaller in _smaller(inner, words):
                yield [*value[:at], smaller, *value[at + 1 :]]
    elif isinstance(value, bytes):
        yield from _fewer_lines(value)
        yield from _fewer(value)
    elif isinstance(value, str):
        yield from () if value in words else _fewer(value)
    elif type(value) in (int, float) and value:
        yield 0
        if abs(value) > 1:
            yield int(value / 2)
            yield int(value) - (1 if value > 0 else -1)


def _fewer(value: Any) -> Iterator[Any]:
    """Without a half, a quarter, … a single member, from the end on."""
    size = len(value)
    if size:
        yield _PLAIN[type(value)]
    step = size // 2
    while step:
        for at in range(size - step, -1, -step):
            yield value[:at] + value[at + step :]
        step //= 2


def _fewer_lines(value: bytes) -> Iterator[bytes]:
    lines = value.splitlines(keepends=True)
    if len(lines) > 1:
        for fewer in _fewer(lines):
            yield b"".join(fewer)
