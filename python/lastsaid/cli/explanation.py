"""`--explain`: which record won, which lost and why, what was streamed and not used; read in ten seconds."""

from __future__ import annotations

from typing import Any, Final

from lastsaid.cli.log import Log
from lastsaid.cli.terminal import fitted
from lastsaid.selection import Selection

_WIDTH: Final = 100
_MOST_ROWS: Final = 8
_MOST_BLOCKS: Final = 4
_WHAT: Final = 30
_LONGEST_WORD: Final = 20


def explanation_text(log: Log, selection: Selection, part: str) -> str:
    """The rows of a Selection with `candidates`, and a last one about the whole; `part`: what was asked for."""
    candidates = selection.candidates or ()
    rows = [_row(log, candidate) for candidate in candidates[:_MOST_ROWS]]
    if not any(candidate["verdict"] == "won" for candidate in candidates):
        rows.insert(0, f"{'none':<9}  no message has blocks and no text was streamed")
    left = len(candidates) - _MOST_ROWS
    if left > 0:
        rows.append(_line("", "", "", f"{left} more of them: --json --explain"))
    return "\n".join([*rows, _whole(selection, part)]) + "\n"


def _row(log: Log, candidate: dict[str, Any]) -> str:
    place = log.place(candidate["line"], candidate["offset"]) or ""
    return _line(candidate["verdict"], place, f"{candidate['kind']:<7}  {_what(candidate)}", _why(candidate))


def _line(verdict: str, place: str, what: str, why: str) -> str:
    """A row in columns; a place or a description that is wider pushes what follows on."""
    start = f"{verdict:<9}  {place:<9}  {what:<{_WHAT + 9}}  "
    return (start + fitted(why, max(20, _WIDTH - len(start)))).rstrip()


def _what(candidate: dict[str, Any]) -> str:
    """The block types and how much text: `text 120, tool-call`."""
    characters = candidate["characters"]
    if candidate["kind"] == "stream":
        return f"{characters} characters"
    if candidate["kind"] == "record":
        return ""
    names: list[str] = []
    for kind in dict.fromkeys(candidate["blocks"]):
        name = "untyped" if kind is None else fitted(kind, _LONGEST_WORD) or '""'
        names.append(f"{name} {characters}" if kind == "text" else name)
    shown = names if len(names) <= _MOST_BLOCKS else [*names[:_MOST_BLOCKS], "…"]
    return ", ".join(shown) or "no blocks"


def _why(candidate: dict[str, Any]) -> str:
    """The reason and the first words; of the winner its words, which say more."""
    reason: str = candidate["reason"]
    preview: str = candidate["preview"]
    if not preview:
        return reason
    words = f'"{preview}"' if len(preview) >= candidate["characters"] else f'"{preview}…"'
    return words if candidate["verdict"] == "won" else f"{reason}: {words}"


def _whole(selection: Selection, part: str) -> str:
    counts = selection.counts or {}
    reason = selection.stop_reason
    stop = "unknown" if reason is None else f"{fitted(reason, _LONGEST_WORD)} ({selection.completeness})"
    version = counts.get("version")
    form = selection.format + (f" v{version}" if version is not None else "")
    line = counts.get("suffixLine")
    begins = f", from line {line}" if line is not None else ""
    bad = counts.get("malformed") or 0
    counted = f"{counts.get('records', 0)} examined" + (f", {bad} bad" if bad else "")
    return f"{'stop':<9}  {stop}    format {form}    {part}{begins}    {counted}"
