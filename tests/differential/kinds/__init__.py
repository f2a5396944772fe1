"""The kinds of cases. A kind is a module; what an engine doesn't offer yet isn't drawn."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any, Protocol

from differential.choice import Choice
from differential.comparison import Difference, Said
from differential.kinds import arrays, checks, feeds, folds, frames, lists, logs, records, rules, sessions


class Kind(Protocol):
    """What each module has."""

    # How often it is drawn, beside the others.
    WEIGHT: int
    # Words in its data that are no input, but say what is to be done.
    WORDS: frozenset[str]

    def offered(self, engine: ModuleType) -> bool:
        """Whether the engine has what this kind asks."""

    def draw(self, choice: Choice) -> dict[str, Any]:
        """The data of a case: plain values, so that they can be shown, made smaller, and kept as a file."""

    def ask(self, engines: list[ModuleType], data: dict[str, Any]) -> list[Said]:
        """What each engine says of it; the engines must say the same."""

    def laws(self, said: Said, data: dict[str, Any]) -> Iterator[Difference]:
        """What one engine's answers have to do with each other, or with an oracle."""


KINDS: dict[str, Kind] = {
    "rules": rules,
    "folds": folds,
    "records": records,
    "lists": lists,
    "logs": logs,
    "feeds": feeds,
    "frames": frames,
    "arrays": arrays,
    "sessions": sessions,
    "checks": checks,
}  # type: ignore[dict-item]
