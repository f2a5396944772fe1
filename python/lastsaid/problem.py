"""What `check` finds: a plain frozen dataclass, built by both engines.

Spec: docs/spec/selection.md S5, S7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Problem"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with a log.

    Attributes:
        kind: a kind of MalformedEventError, or `torn_tail`.
        path: the innermost value at fault, like `data.stream[3].texts[1]`; empty for the record as a whole.
        offset: byte offset of the record's first byte, uncompressed.
        line: 1-based line of the record; None after damage.
        message: the sentence, without its place.
    """

    kind: str
    path: str
    offset: int
    line: int | None
    message: str

    def to_dict(self) -> dict[str, Any]:
        """Exactly what `lastsaid --check --json` prints but for the log's name."""
        return {
            "kind": self.kind,
            "path": self.path,
            "offset": self.offset,
            "line": self.line,
            "message": self.message,
        }

    def __str__(self) -> str:
        place = f"byte {self.offset}" if self.line is None else f"line {self.line}, byte {self.offset}"
        return f"{place}: {self.message}"
