"""Figures in words: durations, sizes, multiples, tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MISSING: Final = "–"


def duration(seconds: float) -> str:
    """Three figures, in the unit that suits."""
    if seconds < 0:
        return f"−{duration(-seconds)}"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        # What rounds up to a thousand belongs to the larger unit.
        if seconds >= 0.9995 * scale:
            return f"{figures(seconds / scale)} {unit}"
    return f"{figures(seconds / 1e-9)} ns"


def multiple(value: float) -> str:
    """Three figures and the sign of multiplication."""
    if value < 0.001:
        return "< 0.001×"
    return f"{value:,.0f}×" if value >= 100 else f"{figures(value)}×"


def size(count: float) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{figures(count / scale)} {unit}"
    return f"{count:.0f} B"


def figures(value: float) -> str:
    """Three of them."""
    if value >= 100:
        return f"{value:.0f}"
    decimals = 1 if value >= 10 else 2 if value >= 1 else 3 if value >= 0.1 else 4
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Markdown; the first columns are left-aligned, the others hold figures."""
    rule = ["---" if number < left else "--:" for number in range(len(head))]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *rows))
