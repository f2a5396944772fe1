"""What people write by hand for events that are Python objects; each gives the output blocks.

They trust their events: no validation, no suffix, no provenance. The engines do all of that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Blocks = list[dict[str, Any]] | None


def add_texts(event: dict[str, Any], texts: list[str]) -> None:
    for record in event["data"].get("stream") or ():
        kind = record["type"]
        if kind == "text-chunks":
            texts.extend(record["texts"])
        elif kind == "chunk" and record["chunk"]["type"] == "text-delta":
            texts.append(record["chunk"]["text"])


def joined(texts: list[str]) -> Blocks:
    text = "".join(texts)
    return [{"type": "text", "text": text}] if text else None


def forward(events: Iterable[dict[str, Any]]) -> Blocks:
    """The loop that people write: every event once, in order."""
    content = None
    texts: list[str] = []
    for event in events:
        kind = event["type"]
        if kind == "assistant/message":
            content = event["data"]["message"]["content"] or content
        if content is None and kind in ("assistant/message", "assistant/attempt"):
            add_texts(event, texts)
    return content if content is not None else joined(texts)


def backward(events: Sequence[dict[str, Any]]) -> Blocks:
    """The loop of someone who thought about it: from the end, and forward only for streamed text."""
    for event in reversed(events):
        if event["type"] == "assistant/message" and event["data"]["message"]["content"]:
            content: Blocks = event["data"]["message"]["content"]
            return content
    return forward(events)


class HandFold:
    """The class that people write when events come one by one."""

    def __init__(self) -> None:
        self.content: Blocks = None
        self.texts: list[str] = []

    def push(self, event: dict[str, Any]) -> None:
        kind = event["type"]
        if kind == "assistant/message":
            self.content = event["data"]["message"]["content"] or self.content
        if self.content is None:
            if kind in ("assistant/message", "assistant/attempt"):
                add_texts(event, self.texts)
            elif kind == "assistant/chunk" and event["data"]["chunk"]["type"] == "text-delta":
                self.texts.append(event["data"]["chunk"]["text"])

    def push_text(self, piece: str) -> None:
        if self.content is None:
            self.texts.append(piece)

    def extend_text(self, pieces: Iterable[str]) -> None:
        if self.content is None:
            self.texts.extend(pieces)

    def collect(self) -> Blocks:
        return self.content if self.content is not None else joined(self.texts)
