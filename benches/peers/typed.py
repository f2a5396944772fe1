"""The loop over a log's lines with msgspec's typed decoding; imported only where msgspec is installed."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from peers.events import Blocks, joined


class Delta(msgspec.Struct):
    type: str
    text: str = ""


class Record(msgspec.Struct):
    type: str
    texts: list[str] = []
    chunk: Delta | None = None


class Message(msgspec.Struct):
    # Stays raw until it has won.
    content: msgspec.Raw = msgspec.Raw(b"[]")


class Data(msgspec.Struct):
    message: Message | None = None
    stream: list[Record] = []


class Event(msgspec.Struct):
    type: str
    data: msgspec.Raw = msgspec.Raw(b"{}")


_of_event = msgspec.json.Decoder(Event).decode
_of_data = msgspec.json.Decoder(Data).decode


def read(lines: Iterable[bytes]) -> Blocks:
    content: msgspec.Raw | None = None
    texts: list[str] = []
    for line in lines:
        event = _of_event(line)
        if event.type not in ("assistant/message", "assistant/attempt"):
            continue
        data = _of_data(event.data)
        if event.type == "assistant/message" and data.message is not None and bytes(data.message.content) != b"[]":
            content = data.message.content
        if content is None:
            for record in data.stream:
                if record.type == "text-chunks":
                    texts.extend(record.texts)
                elif record.chunk is not None and record.chunk.type == "text-delta":
                    texts.append(record.chunk.text)
    return msgspec.json.decode(content) if content is not None else joined(texts)
