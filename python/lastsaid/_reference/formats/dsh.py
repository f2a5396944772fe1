"""The format `dsh`: DeepSeek Harness session logs, versions 0 to 4, and their envelopes (S4).

`event` says what a record is; the other functions read one thing from it, when the fold asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from lastsaid._reference.node import MISSING, get, is_list, is_object, items, length, ordinal, shape, string
from lastsaid._reference.signal import Event, Kind, Stop
from lastsaid.errors import MalformedEventError

# What a line must hold to be examined, or an escape by which that could be spelt (S7).
NEEDLES: Final = re.compile(rb"assistant/|text-chunks|turn/start|turn/end|end-seed|subagent\.started|\\u00[2-7]|\\/")
LONGEST_NEEDLE: Final = len(b"subagent.started")

_KINDS: Final = {
    "assistant/message": Kind.MESSAGE,
    "assistant/attempt": Kind.STREAM,
    "assistant/chunk": Kind.STREAM,
    "text-chunks": Kind.STREAM,
    "turn/start": Kind.TURN_START,
    "turn/end": Kind.TURN_END,
    "session/end-seed": Kind.CUT,
    "session": Kind.HEADER,
}
_ROWS: Final = frozenset({"text-chunks", "reasoning-chunks", "tool-call-chunks"})
_METHODS: Final = frozenset({"session.event", "session.status", "subagent.started", "subagent.finished"})


def event(record: Any) -> Event:
    """Unwrap and recognise a record; raise for one that is no object or an envelope without an event."""
    if not is_object(record):
        raise MalformedEventError("not_an_object", "", shape(record), "an object")
    kind = string(get(record, "type"))
    if kind == "session_event":
        return _inside(record, "event.")
    if kind is not None:
        return _bare(record, kind, "", None)
    method = string(get(record, "method"))
    if method == "session.event":
        params = _object(record, "params", "")
        return _inside(params, "params.event.")
    if method == "subagent.started":
        return Event(Kind.CHILD_STARTED, record, "", None, True)
    return Event(Kind.NOTHING, record, "", None, method in _METHODS)


def _inside(envelope: Any, path: str) -> Event:
    record = get(envelope, "event")
    session = get(envelope, "sessionId")
    if record is MISSING:
        raise MalformedEventError("missing", path[:-1], "missing", "an object")
    if not is_object(record):
        raise MalformedEventError("not_an_object", path[:-1], shape(record), "an object")
    return _bare(record, string(get(record, "type")), path, string(session))


def _bare(record: Any, kind: str | None, path: str, session: str | None) -> Event:
    known = path != "" or (kind is not None and (kind in _KINDS or kind in _ROWS or "/" in kind))
    return Event(_KINDS.get(kind or "", Kind.NOTHING), record, path, session, known)


def _object(node: Any, key: str, path: str) -> Any:
    value = get(node, key)
    if value is MISSING:
        raise MalformedEventError("missing", f"{path}{key}", "missing", "an object")
    if not is_object(value):
        raise MalformedEventError("wrong_type", f"{path}{key}", shape(value), "an object")
    return value


def _list(value: Any, path: str, expected: str = "a list") -> list[Any]:
    if value is MISSING:
        raise MalformedEventError("missing", path, "missing", expected)
    if not is_list(value):
        raise MalformedEventError("wrong_type", path, shape(value), expected)
    return value


def _text(value: Any, path: str) -> str:
    text = string(value)
    if text is None:
        kind, found = ("missing", "missing") if value is MISSING else ("wrong_type", shape(value))
        raise MalformedEventError(kind, path, found, "a string")  # type: ignore[arg-type]
    return text


def content(event: Event) -> list[Any]:
    """The blocks of an `assistant/message`, the list itself."""
    data = _object(event.node, "data", event.path)
    message = _object(data, "message", f"{event.path}data.")
    return _list(get(message, "content"), f"{event.path}data.message.content")


def message_id(event: Event) -> str | None:
    """The id of a message whose content was read."""
    return string(get(get(get(event.node, "data"), "message"), "id"))


def pieces(event: Event) -> Iterator[str]:
    """The streamed text of a record, piece by piece, in order."""
    kind = string(get(event.node, "type"))
    data = _object(event.node, "data", event.path)
    path = f"{event.path}data."
    if kind == "assistant/chunk":
        yield from _chunk(_object(data, "chunk", path), f"{path}chunk")
    elif kind == "text-chunks":
        yield from _texts(data, f"{path}texts")
    else:
        yield from _stream(get(data, "stream"), f"{path}stream")


def _stream(stream: Any, path: str) -> Iterator[str]:
    if stream is MISSING or stream is None:
        return
    for i, record in enumerate(items(_list(stream, path))):
        here = f"{path}[{i}]"
        if not is_object(record):
            raise MalformedEventError("wrong_type", here, shape(record), "an object")
        kind = string(get(record, "type"))
        if kind == "text-chunks":
            yield from _texts(record, f"{here}.texts")
        elif kind == "chunk":
            yield from _chunk(_object(record, "chunk", f"{here}."), f"{here}.chunk")


def _chunk(chunk: Any, path: str) -> Iterator[str]:
    if string(get(chunk, "type")) == "text-delta":
        yield _text(get(chunk, "text"), f"{path}.text")


def _texts(node: Any, path: str) -> Iterator[str]:
    for i, text in enumerate(items(_list(get(node, "texts"), path, "a list of strings"))):
        yield _text(text, f"{path}[{i}]")


def stop(event: Event) -> Stop:
    """How a `turn/end` says the turn ended; a missing or odd reason is no stop, never an error."""
    node = event.node
    for key in ("data", "reason"):
        node = get(node, key)
        if not is_object(node):
            return Stop(None, None)
    raw = string(get(node, "kind"))
    return Stop(raw, "refusal" if raw == "blocked" else raw)


def turn(event: Event) -> int | None:
    """The number of a `turn/start`."""
    data = get(event.node, "data")
    return ordinal(get(data, "turn")) if is_object(data) else None


def seq(event: Event) -> int | None:
    """The sequence number of an event; of a packed row that of its first member."""
    packed = string(get(event.node, "type")) in _ROWS
    return ordinal(get(event.node, "seq0" if packed else "seq"))


def members(event: Event) -> int:
    """How many events a record stands for: a packed row's members, 1 for everything else."""
    if string(get(event.node, "type")) in _ROWS:
        data = get(event.node, "data")
        for key in ("texts", "args"):
            packed = get(data, key) if is_object(data) else MISSING
            if is_list(packed):
                return max(1, length(packed))
    return 1


def seed_length(event: Event) -> int:
    """How many events a header of version 0 or 1 says were copied; 0 for every other first record."""
    if version(event) in (0, 1):
        return ordinal(get(event.node, "seedLength")) or 0
    return 0


def version(event: Event) -> int | None:
    """The version of the log that a header states."""
    return ordinal(get(event.node, "version")) if event.kind is Kind.HEADER else None


def session_id(event: Event) -> str:
    """The session of a log whose first record this is: a header's `id`, else the empty one."""
    return (string(get(event.node, "id")) or "") if event.kind is Kind.HEADER else ""


def holds_notifications(event: Event) -> bool:
    """Whether a log whose first readable record this is holds notifications: an envelope, or no string `type`."""
    return event.path != "" or string(get(event.node, "type")) is None


def started_child(event: Event) -> str | None:
    """The session that a `subagent.started` notification announces."""
    params = get(event.node, "params")
    return string(get(params, "childSessionId")) if is_object(params) else None
