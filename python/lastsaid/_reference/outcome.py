"""What a scan hands on: the fold over the suffix, and what the scan alone could see."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lastsaid._reference.explanation import Explanation
from lastsaid._reference.fold import Fold
from lastsaid.selection import Selection, SelectionWarning


@dataclass(slots=True)
class Outcome:
    """`skipped` counts defects after the winner, else in the suffix; `outside` says the rest isn't silent."""

    fold: Fold
    skipped: int = 0
    outside: bool = False
    torn: bool = False
    explanation: Explanation | None = None

    def selection(self, format: str) -> Selection:
        warnings = []
        if self.torn:
            warnings.append(SelectionWarning.TORN_TAIL)
        if self.skipped:
            warnings.append(SelectionWarning.MALFORMED_SKIPPED)
        if self.outside and not self.fold.speaks():
            warnings.append(SelectionWarning.EMPTY_SUFFIX)
        selection = self.fold.selection(format, warnings)
        if self.explanation is None:
            return selection
        return replace(selection, counts=self.explanation.counts(), candidates=self.explanation.candidates())
