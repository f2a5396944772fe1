"""What a reading answers: plain frozen dataclasses, built by both engines.

Spec: docs/spec/selection.md S9.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

__all__ = ["Completeness", "EarlierText", "Selection", "SelectionWarning", "Source"]

Source = Literal["message", "stream", "none"]
Completeness = Literal["complete", "truncated", "aborted", "error", "unknown"]


class SelectionWarning(StrEnum):
    """What a caller should know beside the answer; it never changes the answer. A closed set (S9)."""

    TEXTLESS = "textless"
    TORN_TAIL = "torn_tail"
    MALFORMED_SKIPPED = "malformed_skipped"
    OPEN_TURN = "open_turn"
    EMPTY_SUFFIX = "empty_suffix"
    UNRECOGNISED = "unrecognised"
    REPORTED_DISAGREES = "reported_disagrees"
    LONE_SURROGATE = "lone_surrogate"
    SNIFFED = "sniffed"


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierText:
    """Text said before an answer that has none, with its place (S9 `earlier_text`)."""

    text: str
    source: Literal["message", "stream"]
    index: int | None = None
    offset: int | None = None
    line: int | None = None
    seq: int | None = None
    message_id: str | None = None

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """The JSON shape, in camelCase, every key always there."""
        return {
            "text": self.text,
            "source": self.source,
            "index": self.index,
            "offset": self.offset,
            "line": self.line,
            "seq": self.seq,
            "messageId": self.message_id,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The answer to «what did it finally say?», with its provenance. True when there is output.

    Attributes:
        source: `message`, `stream` (only streamed text was found) or `none`.
        output: a list of content blocks, borrowed, or None; never an empty list.
        text: the text blocks of the output joined with nothing, `""` if there are none.
        format: the log's format; `engine`: `rust` or `python`.
        index: 0-based place in a list, or the count of calls before it in a fold; None for logs.
        offset: byte offset of the record, uncompressed; None for lists.
        line: 1-based, only where the source was read from its start.
        seq, message_id: what the record itself says.
        stop_reason: `completed`, `max-tokens`, `max-turns`, `aborted`, `refusal`, `error`, others as they are.
        stop_reason_raw: the log's own word for it.
        completeness: `complete`, `truncated`, `aborted`, `error` or `unknown`.
        earlier_text: only with the warning `textless`: what had been said before.
        reported: what the product itself claims; `disagrees`: it is something else.
        warnings: in the order of `SelectionWarning`.
        policy: the policies that were in force.
        counts: numbers about the log and the run's part of it; candidates: what could have been the answer, the
            winner first. None unless explained.
    """

    source: Source
    output: list[Any] | None
    text: str
    format: str
    engine: str
    index: int | None = None
    offset: int | None = None
    line: int | None = None
    seq: int | None = None
    message_id: str | None = None
    stop_reason: str | None = None
    stop_reason_raw: str | None = None
    completeness: Completeness = "unknown"
    earlier_text: EarlierText | None = None
    reported: str | None = None
    disagrees: bool = False
    warnings: tuple[SelectionWarning, ...] = ()
    policy: tuple[str, ...] = ()
    counts: dict[str, int | None] | None = field(default=None)
    candidates: tuple[dict[str, Any], ...] | None = field(default=None)

    def __bool__(self) -> bool:
        return self.output is not None

    @property
    def is_final(self) -> bool:
        """The turn completed and the text isn't blank."""
        return (
            self.completeness == "complete"
            and self.output is not None
            and SelectionWarning.TEXTLESS not in self.warnings
        )

    def join_text(self, sep: str) -> str:
        """The text blocks of the output joined with `sep`."""
        return sep.join(text_blocks(self.output)) if sep else self.text

    def to_dict(self) -> dict[str, Any]:
        """Exactly what `lastsaid --json` prints but for the log's name: camelCase, every key always there."""
        return {
            "schema": 1,
            "source": self.source,
            "output": self.output,
            "text": self.text,
            "format": self.format,
            "engine": self.engine,
            "index": self.index,
            "offset": self.offset,
            "line": self.line,
            "seq": self.seq,
            "messageId": self.message_id,
            "stopReason": self.stop_reason,
            "stopReasonRaw": self.stop_reason_raw,
            "completeness": self.completeness,
            "isFinal": self.is_final,
            "earlierText": self.earlier_text.to_dict() if self.earlier_text else None,
            "reported": self.reported,
            "disagrees": self.disagrees,
            "warnings": [str(warning) for warning in self.warnings],
            "policy": list(self.policy),
            "counts": self.counts,
            "candidates": None if self.candidates is None else list(self.candidates),
        }


def text_blocks(output: list[Any] | None) -> list[str]:
    """The texts of the blocks that are text: an object whose `type` is `text` and whose `text` is a string."""
    texts = []
    for block in output or ():
        if isinstance(block, Mapping) and block.get("type") == "text":
            text = block.get("text")
            if isinstance(text, str):
                texts.append(text)
    return texts
