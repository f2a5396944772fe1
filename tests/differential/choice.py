"""Quick random choices: `random.Random` with little more than one call of `random()` each."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


class Choice:
    """Draws from one seed. The same seed draws the same, on every machine and in every process."""

    __slots__ = ("random",)

    def __init__(self, seed: str) -> None:
        # Text is hashed with SHA-512, so seeds that differ in one digit have nothing in common.
        self.random: Callable[[], float] = random.Random(seed).random

    def below(self, count: int) -> int:
        return int(self.random() * count)

    def between(self, low: int, high: int) -> int:
        """Both ends included."""
        return low + int(self.random() * (high - low + 1))

    def of(self, values: Sequence[T]) -> T:
        return values[int(self.random() * len(values))]

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def made(self, makers: Sequence[Callable[[], Any]]) -> Any:
        """What one of the makers makes."""
        return makers[int(self.random() * len(makers))]()

    def few(self, most: int) -> int:
        """A count from 0 to `most`, rather small than large."""
        return int(self.random() ** 2 * (most + 1))

    def shuffled(self, values: Sequence[T]) -> list[T]:
        left = list(values)
        for i in range(len(left) - 1, 0, -1):
            j = int(self.random() * (i + 1))
            left[i], left[j] = left[j], left[i]
        return left

    def cuts(self, length: int, most: int) -> list[int]:
        """Up to `most` places in [0, length], in order; places may coincide."""
        return sorted(self.below(length + 1) for _ in range(self.few(most)))


def split(whole: Any, cuts: Sequence[int]) -> list[Any]:
    """A sequence cut at those places."""
    places = [0, *sorted(max(0, min(cut, len(whole))) for cut in cuts), len(whole)]
    return [whole[places[i] : places[i + 1]] for i in range(len(places) - 1)]
