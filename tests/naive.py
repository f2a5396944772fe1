"""Spec S2, S4 and S9 for sound records, as short as they can be said: what tests hold the engines against.

It parses everything, knows no limits and reads forward; of damage it knows a torn end alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

BOM = b"\xef\xbb\xbf"
Placed = tuple[int, Any]


@dataclass
class Whole:
    """The whole records of a log, each with its offset, and whether the log ends amid one."""

    records: list[Placed]
    torn: bool


def whole(log: bytes, *, torn_frame: bool) -> Whole:
    """What is whole of a log, or of what decompressed of one whose file ends inside a frame (S7)."""
    lead = len(BOM) if log.startswith(BOM) else 0
    if log[lead : lead + 1] == b"[":
        return elements(log, lead + 1, torn=torn_frame)
    if torn_frame:
        log = log[: log.rfind(b"\n") + 1]
    found, torn, offset = [], torn_frame, 0
    for line in log.split(b"\n"):
        record = line[lead:] if offset == 0 else line
        if record.strip():
            try:
                found.append((offset or lead, json.loads(record)))
            except ValueError:
                assert offset + len(line) == len(log), "damage inside"
                torn = True
        offset += len(line) + 1
    return Whole(found, torn)


def elements(log: bytes, at: int, *, torn: bool) -> Whole:
    """The whole elements of an ASCII array that may be cut."""
    text = log.decode("ascii")
    found: list[Placed] = []
    while True:
        at = len(text) - len(text[at:].lstrip())
        if text[at : at + 1] == "]":
            return Whole(found, torn)
        if found:
            at = len(text) - len(text[at:].removeprefix(",").lstrip())
        try:
            element, end = json.JSONDecoder().raw_decode(text, at)
        except ValueError:
            return Whole(found, True)
        found.append((at, element))
        at = end


@dataclass
class Event:
    offset: int
    session: str | None
    event: dict[str, Any]
    child: str | None = None


def unwrapped(offset: int, record: dict[str, Any]) -> Event:
    if record.get("type") == "session_event":
        return Event(offset, record["sessionId"], record["event"])
    params = record.get("params", {})
    if record.get("method") == "session.event":
        return Event(offset, params["sessionId"], params["event"])
    return Event(offset, None, record, params.get("childSessionId"))


def members(event: Event) -> list[Event]:
    """A packed row is as many events as it has members (S4)."""
    row = event.event
    if row.get("type") != "text-chunks":
        return [event]
    return [
        Event(event.offset, event.session, {"type": "assistant/chunk", "seq": row["seq0"] + k, "data": delta(text)})
        for k, text in enumerate(row["data"]["texts"])
    ]


def delta(text: str) -> dict[str, Any]:
    return {"chunk": {"type": "text-delta", "text": text}}


def answer(found: Whole) -> dict[str, Any] | None:
    """The answer of a log for the session that stands out; None if none does."""
    read = [unwrapped(offset, record) for offset, record in found.records]
    first = read[0] if read else None
    told_apart = first is not None and (first.session is not None or "type" not in first.event)
    one = None
    if told_apart:
        ids = list(dict.fromkeys(one for event in read for one in (event.session, event.child) if one))
        children = {event.child for event in read}
        roots = ids if len(ids) < 2 else [one for one in ids if one not in children]
        if len(roots) > 1 or (ids and not roots):
            return None
        one = roots[0] if roots else None
        read = [event for event in read if event.session in (None, one)]
    events = [member for event in read for member in members(event)]
    header = events[0].event if events and not told_apart else {}
    copied = header.get("seedLength", 0) if header.get("version") in (0, 1) else 0
    start = 0
    for i, event in enumerate(events):
        is_cut = event.event.get("type") == "session/end-seed" or (told_apart and one and event.child == one)
        if is_cut or event.event.get("seq", copied) < copied:
            start = i + 1
    said = fold(events[start:])
    if said["output"] is None and fold(events)["output"] is not None:
        said["warnings"].append("empty_suffix")
    if found.torn:
        said["warnings"].insert(0, "torn_tail")
    return said


def fold(events: list[Event]) -> dict[str, Any]:
    content, streamed, place, first_piece = None, "", None, None
    stop, is_open = None, False
    for event in events:
        kind, data = event.event.get("type"), event.event.get("data", {})
        pieces = [data["chunk"]["text"]] if kind == "assistant/chunk" else []
        if kind in ("assistant/message", "assistant/attempt"):
            if (data.get("message") or {}).get("content"):
                content, place = data["message"]["content"], event.offset
            pieces = [text for record in data.get("stream") or [] for text in record.get("texts", [])]
        if any(pieces):
            streamed += "".join(pieces)
            first_piece = event.offset if first_piece is None else first_piece
        if kind in ("turn/start", "turn/end"):
            is_open = kind == "turn/start"
            stop = None if is_open else data["reason"]["kind"]
    if content is None and streamed:
        content, place = [{"type": "text", "text": streamed}], first_piece
    return {
        "output": content,
        "offset": place,
        "stopReasonRaw": stop,
        "warnings": ["open_turn"] if is_open else [],
    }
