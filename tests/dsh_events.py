"""Events of the format dsh, short to write."""

from __future__ import annotations

import json
from typing import Any

Event = dict[str, Any]


def text(words: str) -> Event:
    return {"type": "text", "text": words}


def reasoning(words: str) -> Event:
    return {"type": "reasoning", "text": words}


def message(*blocks: Any, id: str | None = None, **more: Any) -> Event:
    """An `assistant/message`; a string is a text block."""
    content = [text(block) if isinstance(block, str) else block for block in blocks]
    named = {} if id is None else {"id": id}
    return {
        "type": "assistant/message",
        "data": {"message": {"role": "assistant", "content": content, **named}},
        **more,
    }


def texts(*pieces: Any) -> Event:
    """A record of a stream."""
    return {"type": "text-chunks", "texts": list(pieces)}


def attempt(*pieces: str, **more: Any) -> Event:
    return {"type": "assistant/attempt", "data": {"stream": [texts(*pieces)]}, **more}


def chunk(words: Any, **more: Any) -> Event:
    return {"type": "assistant/chunk", "data": {"chunk": {"type": "text-delta", "text": words}}, **more}


def packed(seq0: int, *pieces: str) -> Event:
    return {"type": "text-chunks", "seq0": seq0, "data": {"texts": list(pieces)}}


def turn_start(turn: int = 1, **more: Any) -> Event:
    return {"type": "turn/start", "data": {"turn": turn}, **more}


def turn_end(kind: Any = "completed", **more: Any) -> Event:
    return {"type": "turn/end", "data": {"reason": {"kind": kind}}, **more}


def end_seed(**data: Any) -> Event:
    return {"type": "session/end-seed", "data": data}


def header(version: int = 4, **more: Any) -> Event:
    return {"type": "session", "version": version, **more}


def notification(event: Any, session: Any = "s1") -> Event:
    return {"jsonrpc": "2.0", "method": "session.event", "params": {"sessionId": session, "event": event}}


def headless(event: Any, session: Any = "s1") -> Event:
    return {"type": "session_event", "sessionId": session, "event": event}


def jsonl(*records: Any) -> bytes:
    """A log; bytes are lines as they are."""
    return b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in records)
