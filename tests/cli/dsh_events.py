"""Lines of small dsh logs (docs/spec/selection.md S4)."""

from __future__ import annotations

import json
from typing import Any

GREETING = "Two bugs found."


def event(kind: str, seq: int, **data: Any) -> str:
    return json.dumps({"type": kind, "seq": seq, "data": data})


def message(seq: int, *blocks: dict[str, Any]) -> str:
    body = {"id": f"m{seq}", "role": "assistant", "content": list(blocks)}
    return event("assistant/message", seq, turn=1, step=1, message=body, stream=[])


def said(seq: int, text: str) -> str:
    return message(seq, {"type": "text", "text": text})


def streamed(seq: int, *texts: str) -> str:
    return event("assistant/attempt", seq, stream=[{"type": "text-chunks", "texts": list(texts)}])


def turn_start(seq: int, turn: int = 1) -> str:
    return event("turn/start", seq, turn=turn)


def turn_end(seq: int, kind: str = "completed") -> str:
    return event("turn/end", seq, turn=1, reason={"kind": kind})


def enveloped(session: str, line: str) -> str:
    return json.dumps({"type": "session_event", "sessionId": session, "event": json.loads(line)})


SOUND = (said(1, GREETING), turn_end(2))
TEXTLESS = (
    said(1, "PARTIAL: found hello.txt."),
    message(2, {"type": "reasoning", "text": "hm"}, {"type": "tool-call"}, {"type": "reasoning", "text": "so"}),
    turn_end(3, "max-turns"),
)
SILENT = (turn_start(1), turn_end(2, "aborted"))
BROKEN = (said(1, "fine"), '{"type":"assistant/message","data":{"message":{"content":"no list"}}}')
