"""What stderr says about an answer: why there is no text, and what makes the text less than it seems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from lastsaid.cli.faults import Fault
from lastsaid.cli.log import Log
from lastsaid.cli.terminal import Word, fitted
from lastsaid.selection import EarlierText, Selection, SelectionWarning

_WIDTH: Final = 100
FORMATS: Final = ("dsh",)

# Words of the log's own (block types, stop reasons) may be of any length and number.
_LONGEST_WORD: Final = 40
_MOST_TYPES: Final = 6

_WARNINGS: Final = {
    SelectionWarning.TORN_TAIL: "the last line is cut off and was not read",
    SelectionWarning.MALFORMED_SKIPPED: "malformed lines were skipped, what they said is missing",
    SelectionWarning.OPEN_TURN: "the turn had not ended when the log stopped",
    SelectionWarning.LONE_SURROGATE: "half a surrogate pair is printed as U+FFFD (--json keeps it)",
}


class Remark(NamedTuple):
    word: Word
    sentence: str


class Asked(NamedTuple):
    """What of the command line the hints must know."""

    blocks: bool
    part: str | None  # the option that chose a part of the log


def has_text(selection: Selection) -> bool:
    """Whether there is something to read in the output; blank text is nothing to read."""
    return bool(selection) and SelectionWarning.TEXTLESS not in selection.warnings


def remarks(log: Log, selection: Selection, asked: Asked) -> Iterator[Remark]:
    """Everything to be said about a log that could be read; nothing when all is well."""
    if not has_text(selection):
        what, hint = _textless(log, selection, asked) if selection else _silent(log, selection, asked)
        yield Remark("error", f"{log.name}: {what}")
        yield Remark("hint", hint)
    for warning in selection.warnings:
        # Blocks are printed as JSON, which loses no half.
        if warning in _WARNINGS and not (warning is SelectionWarning.LONE_SURROGATE and asked.blocks):
            yield Remark("warning", f"{log.name}: {_WARNINGS[warning]}")
    if has_text(selection) and selection.completeness in ("truncated", "aborted", "error"):
        stopped = _stopped(selection)
        addition = "" if selection.completeness in stopped else f" ({selection.completeness})"
        yield Remark("note", f"{log.name}: {stopped}{addition}")


def _textless(log: Log, selection: Selection, asked: Asked) -> Fault:
    subject = "the last message has no text" if selection.source == "message" else "the streamed text is blank"
    blocks = _block_types(selection) if selection.source == "message" else []
    where = ", ".join([*blocks, *filter(None, [log.place(selection.line, selection.offset)])])
    what = f"{subject} ({'; '.join(filter(None, [where, _stopped(selection)]))})"
    if selection.earlier_text is not None:
        return Fault(what, _earlier(log, selection.earlier_text))
    return Fault(what, "there is no earlier text" + ("" if asked.blocks else "; --blocks shows what there is"))


def _earlier(log: Log, earlier: EarlierText) -> str:
    count = f"{len(earlier.text)} character{'s' if len(earlier.text) != 1 else ''}"
    place = log.place(earlier.line, earlier.offset)
    before = f'earlier text, {", ".join(filter(None, [count, place]))}: "'
    after = '" (see --json, earlierText)'
    return before + fitted(earlier.text, _WIDTH - len("hint: ") - len(before) - len(after)) + after


def _silent(log: Log, selection: Selection, asked: Asked) -> Fault:
    if SelectionWarning.EMPTY_SUFFIX in selection.warnings:
        if asked.part:
            return Fault(
                f"the part that {asked.part} asks for is silent, the rest of the log isn't",
                f"read all of it with --whole instead of {asked.part}",
            )
        return Fault("the last run's own part of the log is silent, the rest isn't", "read all of it with --whole")
    if SelectionWarning.UNRECOGNISED in selection.warnings:
        return Fault("no event of a known format was found", f"formats known: {', '.join(FORMATS)}")
    if log.is_empty:
        return Fault("the log is empty", "read it again when the agent has begun to write")
    if SelectionWarning.MALFORMED_SKIPPED in selection.warnings:
        return Fault("nothing that can be read says anything", "see what was skipped with --check")
    stopped = _stopped(selection)
    return Fault(
        f"the agent said nothing{f' ({stopped})' if stopped else ''}",
        "no message has blocks and no text was streamed; --json tells the rest",
    )


def _stopped(selection: Selection) -> str:
    """How the turn ended, for a sentence; empty where the log doesn't say."""
    reason = selection.stop_reason
    if reason is None:
        return ""
    if reason in ("completed", "aborted", "interrupted"):
        return reason
    return f"stopped by {'an error' if reason == 'error' else fitted(reason, _LONGEST_WORD)}"


def _block_types(selection: Selection) -> list[str]:
    """The types of the output's blocks, each once, in order."""
    types = []
    for block in selection.output or ():
        kind = block.get("type") if isinstance(block, Mapping) else None
        types.append(fitted(kind, _LONGEST_WORD) if isinstance(kind, str) and kind else "a block without a type")
    types = ["blank text" if kind == "text" else kind for kind in dict.fromkeys(types)]
    return types if len(types) <= _MOST_TYPES else [*types[:_MOST_TYPES], "…"]
