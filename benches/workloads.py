"""Logs, lists, single events and streams of text, each with the answer that is expected of it; all from a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from session import (
    LIST_NOISE,
    SEED,
    SMALL_NOISE,
    SMALL_PIECES,
    Kind,
    Output,
    Reply,
    Session,
    chunk,
    dumps,
    piece,
    printed,
    steps,
)

# Before there is anything to answer with: in `tail_far` the second step has the message.
LEAST_STEPS: Final[dict[Kind, int]] = {"normal": 0, "tail_far": 2, "no_message": 1}
TINY_BYTES: Final = 10_000
# Below, a step of the usual size would be the whole log.
SMALL_BYTES: Final = 100_000


def log_lines(session: Session, size: int) -> Iterator[list[bytes]]:
    """The lines of a log of `size` bytes or a step more, an append batch at a time."""
    lines = session.beginning()
    written = sum(map(len, lines))
    yield lines
    while written < size or session.steps < LEAST_STEPS[session.kind]:
        lines = session.step()
        written += sum(map(len, lines))
        yield lines
    yield session.ending()


def write_log(path: Path, kind: Kind, size: int, *, seed: int = SEED) -> Output:
    """Write a log of `size` bytes or a step more, in bounded memory; its expected answer."""
    if size < TINY_BYTES:
        lines, output = tiny_log(kind, size)
        path.write_bytes(b"".join(lines))
        return output
    small = size < SMALL_BYTES
    session = Session(kind, noise=SMALL_NOISE, pieces=SMALL_PIECES, seed=seed) if small else Session(kind, seed=seed)
    with path.open("wb", buffering=1 << 20) as file:
        for lines in log_lines(session, size):
            file.writelines(lines)
    return session.output


def tiny_log(kind: Kind, size: int) -> tuple[list[bytes], Output]:
    """A log of a few lines, padded by what the user asked; a step of a session would be more."""
    said: list[dict[str, Any]] = [{"type": "text", "text": "Done ✅"}]
    record = {"type": "text-chunks", "time0": 1, "index": 0, "dt": [0], "texts": ["Half an ", "answer"]}
    message = {"type": "assistant/message", "data": {"message": {"role": "assistant", "content": said}}}
    attempt = {"type": "assistant/attempt", "data": {"stream": [record]}}
    asked: dict[str, Any] = {"type": "user/message", "data": {"content": [{"type": "text", "text": ""}]}}
    spoken = {"normal": [asked, message], "tail_far": [message, asked, attempt], "no_message": [asked, attempt]}
    events = [
        {"type": "session", "version": 4, "id": "s", "createdAt": 1},
        {"type": "turn/start", "data": {"turn": 1}},
        *spoken[kind],
        {"type": "turn/end", "data": {"turn": 1, "reason": {"kind": "completed"}}},
    ]
    missing = size - sum(len(dumps(event)) + 1 for event in events)
    asked["data"]["content"][0]["text"] = "x" * max(0, missing)
    lines = [dumps(event) + b"\n" for event in events]
    return lines, [{"type": "text", "text": "Half an answer"}] if kind == "no_message" else said


def write_zstd(path: Path, kind: Kind, size: int, *, seed: int = SEED) -> Output:
    """The same log as zstd, a frame an append batch, each stating its size."""
    import zstandard

    compress = zstandard.ZstdCompressor(level=3, write_checksum=True).compress
    session = Session(kind, seed=seed)
    with path.open("wb", buffering=1 << 20) as file:
        for lines in log_lines(session, size):
            file.write(compress(b"".join(lines)))
    return session.output


def write_many(folder: Path, count: int, size: int, *, seed: int = SEED) -> tuple[list[Path], list[Output]]:
    """Logs of many sessions, each `normal` and with an answer of its own near its end."""
    session = Session("normal", seed=seed)
    paths = [folder / f"{number:06}.jsonl" for number in range(count)]
    outputs = []
    for path in paths:
        session.restart()
        with path.open("wb") as file:
            for lines in log_lines(session, size):
                file.writelines(lines)
        outputs.append(session.output)
    return paths, outputs


def event_list(kind: Kind, count: int, *, seed: int = SEED) -> tuple[list[dict[str, Any]], Output]:
    """At least `count` events of a log with short tool results, as a JSON parser leaves them; the expected answer."""
    session = Session(kind, noise=LIST_NOISE, seed=seed)

    def lines() -> Iterator[bytes]:
        yield from session.beginning()
        while session.seq < count or session.steps < 2:
            yield from session.step()
        yield from session.ending()

    return [json.loads(line) for line in lines()], session.output


@dataclass(frozen=True, slots=True)
class Sample:
    """An event for hot calls, and what pushing it adds: a message's content, or streamed text."""

    name: str
    event: dict[str, Any]
    content: list[dict[str, Any]] | None = None
    text: str = ""

    def output(self, times: int) -> Output:
        """The expected answer after so many pushes."""
        if self.content is not None:
            return self.content
        return [{"type": "text", "text": self.text * times}] if self.text else None


def samples(*, seed: int = SEED) -> list[Sample]:
    """The events whose single push is measured."""
    rng = random.Random(seed)
    reply = Reply.of(rng)
    where = {"turn": 1, "step": 1}
    noise = json.loads(printed(rng, 4_000, needles=False))
    result = {"role": "tool", "toolCallId": "call_0", "content": [{"type": "text", "text": noise}], "id": "r"}
    message = {"role": "assistant", "content": reply.content, "source": {"kind": "model"}, "id": "m"}
    delta = piece(rng)
    packed = [piece(rng) for _ in range(50)]
    one = [chunk(1, {"type": "text-delta", "index": 0, "text": delta})]
    many = [{"type": "text-chunks", "time0": 1, "index": 0, "dt": steps(packed), "texts": packed}]

    def event(kind: str, data: dict[str, Any]) -> dict[str, Any]:
        # Through JSON, so that no string is shared with the expected answer.
        made: dict[str, Any] = json.loads(dumps({"type": kind, "seq": 7, "time": 1, "data": where | data}))
        return made

    streamed = {"message": message, "stream": json.loads(reply.stream)}
    return [
        Sample("tool/result", event("tool/result", {"message": result})),
        Sample("assistant/message", event("assistant/message", streamed), content=reply.content),
        Sample("attempt, one delta", event("assistant/attempt", {"stream": one}), text=delta),
        Sample("chunk", event("assistant/chunk", {"chunk": one[0]["chunk"]}), text=delta),
        Sample("attempt, 50 packed texts", event("assistant/attempt", {"stream": many}), text="".join(packed)),
    ]


def piece_source(count: int, *, seed: int = SEED) -> Iterator[str]:
    """A stream of text, one object a piece, in bounded memory."""
    rng = random.Random(seed)
    for _ in range(count):
        yield piece(rng)


def text_pieces(count: int, *, seed: int = SEED) -> tuple[list[str], Output]:
    """A stream of text as a list; the expected answer."""
    pieces = list(piece_source(count, seed=seed))
    return pieces, [{"type": "text", "text": "".join(pieces)}]


def text_of(output: Output) -> str:
    """All text of an answer."""
    return "".join(block["text"] for block in output or [] if block["type"] == "text")


def event_of_delta(delta: str, seq: int) -> dict[str, Any]:
    """One streamed delta as a live event, the size of what a server sends."""
    where = {"turn": 1, "step": 1, "chunk": {"type": "text-delta", "index": 0, "text": delta}}
    return {"type": "assistant/chunk", "seq": seq, "time": 1_796_073_000_000 + seq, "data": where}
