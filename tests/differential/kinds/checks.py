"""Everything that is wrong with a log, record by record (S7 `check`)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from differential.choice import Choice
from differential.comparison import Difference, Said, of_each, same, told
from differential.kinds.logs import drawn_log
from ways import Dribble

WEIGHT = 8
WORDS: frozenset[str] = frozenset()


def offered(engine: ModuleType) -> bool:
    return hasattr(engine, "check")


def draw(choice: Choice) -> dict[str, Any]:
    log = drawn_log(choice, damage=choice.of((0.1, 0.4, 1.0)))
    options = {"max_record_bytes": choice.between(1, 200)} if choice.chance(0.2) else {}
    return {"log": log, "options": options}


@of_each
def ask(engine: ModuleType, data: dict[str, Any]) -> Said:
    log, options = data["log"], data["options"]
    return [
        ("check", told(engine.check, log, **options)),
        ("check of a file", told(engine.check, io.BytesIO(log), **options)),
        ("check of a stream", told(engine.check, Dribble(log, 61), **options)),
    ]


def laws(said: Said, data: dict[str, Any]) -> Iterator[Difference]:
    """Every source is checked alike, and the problems come in the order of the log."""
    for name, found in said[1:]:
        if not same(said[0][1], found):
            yield Difference("check", name, "the ways of checking one log", said[0][1], found)
    if "answer" in said[0][1]:
        offsets = [problem.offset for problem in said[0][1]["answer"]]
        if offsets != sorted(offsets):
            yield Difference("the problems", "in order", "the order of the log", offsets, sorted(offsets))
