"""The rule once more, written from S2 and S4 alone: all events at hand, no state, no direction, no bytes.

For sound events of one session. Both engines may agree on a wrong answer; then they disagree with this page.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

BLANKS = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | set(map(chr, range(0x2000, 0x200B)))
ROWS = ("text-chunks", "reasoning-chunks", "tool-call-chunks")
LARGEST = 2**53 - 1


def joined(texts: list[str]) -> str:
    """As JavaScript would (S8): halves that meet become one character."""
    return b"".join(text.encode("utf-16-le", "surrogatepass") for text in texts).decode("utf-16-le", "surrogatepass")


def is_blank(text: str) -> bool:
    return set(text) <= BLANKS


def bare(event: dict[str, Any]) -> dict[str, Any]:
    """The event inside its envelope (S4)."""
    if event.get("type") == "session_event":
        return event["event"]
    if not isinstance(event.get("type"), str) and event.get("method") == "session.event":
        return event["params"]["event"]
    return event


def ordinal(event: Any, name: str) -> int | None:
    value = event.get(name) if isinstance(event, dict) else None
    return value if type(value) is int and 0 <= value <= LARGEST else None


def kind(event: dict[str, Any]) -> Any:
    """Its type; what is no string is no type."""
    return event.get("type") if isinstance(event.get("type"), str) else None


def content(event: dict[str, Any]) -> list[Any]:
    return event["data"]["message"]["content"] if kind(event) == "assistant/message" else []


def of_chunk(chunk: dict[str, Any]) -> list[str]:
    return [chunk["text"]] if chunk.get("type") == "text-delta" else []


def pieces(event: dict[str, Any]) -> list[str]:
    """The streamed text of one event, piece by piece (S4's table)."""
    if kind(event) in ("assistant/message", "assistant/attempt"):
        found = []
        for record in event["data"].get("stream") or []:
            if record.get("type") == "text-chunks":
                found += record["texts"]
            elif record.get("type") == "chunk":
                found += of_chunk(record["chunk"])
        return found
    if kind(event) == "assistant/chunk":
        return of_chunk(event["data"]["chunk"])
    return event["data"]["texts"] if kind(event) == "text-chunks" else []


def block_texts(blocks: list[Any]) -> list[str]:
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    return [text for text in texts if isinstance(text, str)]


def seq(event: dict[str, Any]) -> int | None:
    return ordinal(event, "seq0" if kind(event) in ROWS else "seq")


def members(event: dict[str, Any]) -> int:
    """How many events a record stands for."""
    data = event.get("data")
    lists = [data.get(name) for name in ("texts", "args")] if isinstance(data, dict) and kind(event) in ROWS else []
    return next((max(1, len(found)) for found in lists if isinstance(found, list)), 1)


def own_start(events: list[dict[str, Any]], examined: Collection[int]) -> tuple[int, int]:
    """Where the run's own suffix starts, and how many members of the row there were copied (S4)."""
    # An enveloped header is no header: a log that begins with it holds notifications.
    first = events[0] if events else {}
    events = [bare(event) if number in examined else {} for number, event in enumerate(events)]
    start = (0, 0)
    has_seed = kind(first) == "session" and ordinal(first, "version") in (0, 1)
    seed_length = (ordinal(first, "seedLength") or 0) if has_seed else 0
    for number, event in enumerate(events):
        begins = seq(event)
        if kind(event) == "session/end-seed":
            start = (number + 1, 0)
        elif begins is not None and begins < seed_length:
            is_divided = begins + members(event) > seed_length
            start = (number, seed_length - begins) if is_divided else (number + 1, 0)
    return start


def answer(events: list[dict[str, Any]], start: int = 0, divided: int = 0) -> dict[str, Any]:
    """What must come of `events[start:]`; the fold doesn't see the first `divided` members of the first (S2)."""
    suffix = [(number, bare(event)) for number, event in enumerate(events)][start:]
    messages = [(number, event) for number, event in suffix if content(event)]
    streamed = [
        (number, event, piece)
        for number, event in suffix
        if not messages or number < messages[0][0]
        for piece in pieces(event)[divided if number == start else 0 :]
        if piece
    ]
    streamed_text = joined([piece for _, _, piece in streamed])
    said: dict[str, Any] = {"source": "none", "output": None, "text": "", "index": None, "seq": None, "messageId": None}
    earlier = None
    if messages:
        number, event = messages[-1]
        message = event["data"]["message"]
        said = {
            "source": "message",
            "output": message["content"],
            "text": joined(block_texts(message["content"])),
            "index": number,
            "seq": seq(event),
            "messageId": message["id"] if isinstance(message.get("id"), str) else None,
        }
        if all(map(is_blank, block_texts(message["content"]))):
            texts = [joined(block_texts(content(event))) for _, event in messages if has_text(content(event))]
            earlier = texts[-1] if texts else None if is_blank(streamed_text) else streamed_text
    elif streamed:
        number, event, _ = streamed[0]
        said |= {
            "source": "stream",
            "output": [{"type": "text", "text": streamed_text}],
            "text": streamed_text,
            "index": number,
            "seq": seq(event),
        }
    return {**said, **ending(suffix), "earlierText": earlier, "warnings": warnings(said, suffix)}


def has_text(blocks: list[Any]) -> bool:
    """A block that is blank by itself counts as none, also if halves of several would meet."""
    return not all(map(is_blank, block_texts(blocks)))


def turns(suffix: list[tuple[int, dict[str, Any]]]) -> list[dict[str, Any]]:
    return [event for _, event in suffix if kind(event) in ("turn/start", "turn/end")]


def ending(suffix: list[tuple[int, dict[str, Any]]]) -> dict[str, Any]:
    """How the last turn ended (S4, S9)."""
    last = turns(suffix)[-1:]
    data = last[0].get("data") if last and kind(last[0]) == "turn/end" else None
    reason = data.get("reason") if isinstance(data, dict) else None
    raw = reason.get("kind") if isinstance(reason, dict) else None
    raw = raw if isinstance(raw, str) else None
    known = {None: "unknown", "completed": "complete", "max-tokens": "truncated", "max-turns": "truncated",
             "aborted": "aborted", "interrupted": "aborted"}  # fmt: skip
    return {
        "stopReason": "refusal" if raw == "blocked" else raw,
        "stopReasonRaw": raw,
        "completeness": known.get(raw, "error"),
    }


def warnings(said: dict[str, Any], suffix: list[tuple[int, dict[str, Any]]]) -> list[str]:
    """Those that lists, logs and folds all know."""
    found = []
    if said["output"] is not None and is_blank(said["text"]):
        found.append("textless")
    if [kind(event) for event in turns(suffix)[-1:]] == ["turn/start"]:
        found.append("open_turn")
    if any("\ud800" <= character <= "\udfff" for character in said["text"]):
        found.append("lone_surrogate")
    return found


ASKED = ("source", "output", "text", "seq", "messageId", "stopReason", "stopReasonRaw", "completeness")


def asked_of(found: dict[str, Any]) -> dict[str, Any]:
    """Of an answer of an engine what this page knows, without the place."""
    said = {name: found[name] for name in ASKED}
    said["earlierText"] = found["earlierText"] and found["earlierText"]["text"]
    said["warnings"] = [one for one in found["warnings"] if one in ("textless", "open_turn", "lone_surrogate")]
    return said
