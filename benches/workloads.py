"""Seeded logs, lists, single events and streams of text, each with the answer that is expected of it.

A log is a `dsh` session of version 4, written step by step, so its size costs no memory. What varies is who speaks:

- `normal`: every step has a message, so the last one is near the end;
- `tail_far`: only the second step has a message with content; what follows streams text that no longer counts;
- `no_message`: no message has content; the streamed text (about 22 MB a GB) is the answer.

Four fifths of a log are tool results. One in fifty of these (NEEDLE_EVERY) quotes event names or holds the escapes
by which they could be spelt, as logs of people who work on agents do; the others never do, and that is checked here.
Texts are English with some Chinese, Japanese and emoji, written as UTF-8, as JavaScript does.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

Kind = Literal["normal", "tail_far", "no_message"]
Output = list[dict[str, Any]] | None

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
SEED: Final = 20_251_130
NEEDLE_EVERY: Final = 50
STEPS_A_TURN: Final = 12

# Characters of one tool result: in logs, and in lists, where 100,000 events shall fit into memory.
LOG_NOISE: Final = (3_000, 9_000)
LIST_NOISE: Final = (100, 700)

_NEEDLE: Final = re.compile(rb"assistant/|text-chunks|turn/start|turn/end|end-seed|subagent\.started|\\u00[2-7]|\\/")
# As they stand in JSON, inside a string.
_QUOTED_NEEDLES: Final = (
    r"assistant/message",
    r"{\"type\":\"assistant/message\",\"data\":{\"message\":{\"content\":[]}}}",
    r"text-chunks",
    r"turn/end",
    r"turn/start",
    r"session/end-seed",
    r"subagent.started",
    r"\u0041ssistant",
    r"\\u0041",
    r"https:\/\/example.org\/",
)

_WORDS: Final = (  # noqa: SIM905 (as a list, one word a line)
    "the a of to and in is that it for was on are as with his they be at one have this from or had by but some what "
    "there we can out other were all your when up use word how said an each she which do their time if will way about "
    "many then them would write like so these her long make thing see him two has look more day could go come did "
    "file function returns value error test module import path line result check build index buffer"
).split()
_WIDE: Final = ("文件", "测试通过", "エラー", "結果", "を確認", "完了", "函数", "输出", "🎉", "✅", "🚀", "👩‍💻")
_CODE: Final = (
    'def run(self, name: str) -> "Result":',
    "    return [item for item in self.items if item.ready]",
    'File "/home/dev/app/src/service.py", line 214, in handle',
    '\tif (err != nil) { return fmt.Errorf("open %q: %w", name, err) }',
    "\x1b[32m✓\x1b[0m 128 passed, 2 skipped in 4.21s",
    '{"name": "app", "version": "1.4.2", "private": true}',
    "drwxr-xr-x  4 dev dev   4096 Nov 12 09:31 node_modules",
    "2026-11-12T09:31:44.120Z INFO  worker: job=8841 状态=完成 took=118ms",
)


def dumps(value: Any) -> bytes:
    """JSON as JavaScript writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _piece(rng: random.Random) -> str:
    """One token of a model, a new object each time: one in twelve is wide."""
    return f" {rng.choice(_WIDE if rng.random() < 1 / 12 else _WORDS)}"


def _prose(rng: random.Random, size: int) -> str:
    pieces: list[str] = []
    while size > 0:
        pieces.append(_piece(rng))
        size -= len(pieces[-1])
    return "".join(pieces)


def _noise(rng: random.Random, size: int, *, needles: bool) -> bytes:
    """What a tool printed, as a JSON string; with `needles`, three of them between its lines."""
    lines: list[str] = []
    while size > 0:
        lines.append(rng.choice(_CODE) if rng.random() < 0.6 else _prose(rng, 70))
        size -= len(lines[-1])
    encoded = [dumps(line)[1:-1] for line in lines]
    if needles:
        for needle in rng.sample(_QUOTED_NEEDLES, 3):
            encoded.insert(rng.randrange(len(encoded) + 1), needle.encode())
    text = b'"%s"' % rb"\n".join(encoded)
    if bool(_NEEDLE.search(text)) is not needles:
        raise AssertionError("a tool result is on the wrong side of the needle share")
    return text


@dataclass(frozen=True, slots=True)
class _Reply:
    """What a model streamed in one step, and the message a harness makes of it."""

    text: str
    stream: bytes
    content: list[dict[str, Any]]
    content_json: bytes

    @classmethod
    def of(cls, rng: random.Random) -> _Reply:
        thoughts = [_piece(rng) for _ in range(40)]
        said = [_piece(rng) for _ in range(106)]
        arguments = dumps({"command": _prose(rng, 60), "cwd": "/home/dev/app"}).decode()
        time = 1_796_073_000_000
        blocks: list[dict[str, Any]] = [
            {"type": "reasoning", "text": "".join(thoughts)},
            {"type": "text", "text": "".join(said)},
            {"type": "tool-call", "id": "call_0", "name": "shell", "arguments": arguments},
        ]
        stream: list[dict[str, Any]] = []
        for index, (kind, pieces) in enumerate((("reasoning", thoughts), ("text", said[:-1]))):
            stream += [
                _chunk(time, {"type": "block-start", "index": index, "blockType": kind}),
                {"type": f"{kind}-chunks", "time0": time, "index": index, "dt": _steps(pieces), "texts": pieces},
            ]
            if kind == "text":
                stream.append(_chunk(time, {"type": "text-delta", "index": index, "text": said[-1]}))
            stream.append(_chunk(time, {"type": "block-end", "index": index, "block": blocks[index]}))
        args = [arguments[at : at + 6] for at in range(0, len(arguments), 6)]
        stream += [
            {"type": "tool-call-chunks", "time0": time, "index": 2, "dt": _steps(args), "id": "call_0", "args": args},
            _chunk(time, {"type": "usage", "usage": {"inputTokens": 14_209, "outputTokens": 181}}),
            _chunk(time, {"type": "finish", "reason": {"kind": "tool-calls"}}),
        ]
        return cls("".join(said), dumps(stream), blocks, dumps(blocks))


def _chunk(time: int, chunk: dict[str, Any]) -> dict[str, Any]:
    return {"type": "chunk", "time": time, "chunk": chunk}


def _steps(pieces: list[str]) -> list[int]:
    return [0] * (len(pieces) - 1)


class Session:
    """One session as it is written: `beginning`, then `step` as often as wanted, then `ending`."""

    def __init__(self, kind: Kind, *, noise: tuple[int, int] = LOG_NOISE, seed: int = SEED) -> None:
        rng = random.Random(seed)
        self.kind = kind
        self.rng = rng
        # Pools, so that a GB takes seconds; they hold far more than a processor's caches do.
        self.replies = [_Reply.of(rng) for _ in range(512)]
        self.plain = [_noise(rng, rng.randint(*noise), needles=False) for _ in range(1_024)]
        self.needles = [_noise(rng, rng.randint(*noise), needles=True) for _ in range(64)]
        self.seq = -1
        self.turn = 0
        self.steps = 0
        self.results = 0
        self.content: list[dict[str, Any]] | None = None
        self.streamed: list[str] = []

    @property
    def output(self) -> Output:
        """The expected answer of what has been written so far."""
        if self.content is not None:
            return self.content
        return [{"type": "text", "text": "".join(self.streamed)}] if self.streamed else None

    def beginning(self) -> list[bytes]:
        header = {"type": "session", "version": 4, "id": self._id().decode(), "createdAt": 1_796_073_000_000}
        header |= {"cwd": "/home/dev/app", "isSeeded": False, "delegationDepth": 0}
        return [
            dumps(header) + b"\n",
            self._event(b"permission/preset", b'{"preset":"workspace-write"}'),
            *self._turn_start(),
        ]

    def step(self) -> list[bytes]:
        lines: list[bytes] = []
        if self.steps and self.steps % STEPS_A_TURN == 0:
            lines += [*self._turn_end(), *self._turn_start()]
        self.steps += 1
        where = self._where()
        lines.append(self._event(b"step/start", b"{%s}" % where))
        lines.append(self._reply(self.rng.choice(self.replies)))
        for _ in range(self.rng.choice((2, 2, 3, 4))):
            call = b'%s,"callId":"call_%d","name":"shell"' % (where, self.results)
            lines.append(self._event(b"tool/call", b'{%s,"arguments":"{\\"command\\":\\"make\\"}"}' % call))
            lines.append(self._tool_result(where))
        lines.append(self._event(b"step/end", b"{%s}" % where))
        return lines

    def ending(self) -> list[bytes]:
        """In `normal` the last message, and in every kind the end of the turn."""
        where = self._where()
        lines = [self._event(b"step/start", b"{%s}" % where)]
        if self.kind == "normal":
            reply = self.rng.choice(self.replies)
            content = [{"type": "text", "text": f"Done.{reply.text} ✅"}]
            lines.append(self._message(content, dumps(content), reply))
        return [*lines, self._event(b"step/end", b"{%s}" % where), *self._turn_end()]

    def _reply(self, reply: _Reply) -> bytes:
        speaks = self.kind == "normal" or (self.kind == "tail_far" and self.steps == 2)
        if speaks:
            return self._message(reply.content, reply.content_json, reply)
        if self.content is None:
            self.streamed.append(reply.text)
        if self.steps % 2:
            return self._event(b"assistant/attempt", b'{%s,"stream":%s}' % (self._where(), reply.stream))
        return self._message([], b"[]", reply)

    def _message(self, content: list[dict[str, Any]], content_json: bytes, reply: _Reply) -> bytes:
        self.content = content or self.content
        message = b'{"role":"assistant","content":%s,"source":{"kind":"model","model":"m"},"id":"%s"}'
        data = b'{%s,"message":%s,"usage":{"inputTokens":14209,"outputTokens":181},"stream":%s}'
        filled = message % (content_json, self._id())
        return self._event(b"assistant/message", data % (self._where(), filled, reply.stream))

    def _tool_result(self, where: bytes) -> bytes:
        self.results += 1
        text = self.rng.choice(self.needles if self.results % NEEDLE_EVERY == 0 else self.plain)
        message = b'{"role":"tool","toolCallId":"call_%d","content":[{"type":"text","text":%s}],"id":"%s"}'
        filled = message % (self.results, text, self._id())
        return self._event(b"tool/result", b'{%s,"message":%s}' % (where, filled))

    def _turn_start(self) -> list[bytes]:
        self.turn += 1
        asked = dumps([{"type": "text", "text": _prose(self.rng, 200)}])
        return [
            self._event(b"turn/start", b'{"turn":%d}' % self.turn),
            self._event(b"user/message", b'{"content":%s,"role":"user","id":"%s"}' % (asked, self._id())),
            self._event(b"request/header", b'{"header":{"config":{"model":"m","maxTokens":8000}},"reason":"initial"}'),
        ]

    def _turn_end(self) -> list[bytes]:
        return [self._event(b"turn/end", b'{"turn":%d,"reason":{"kind":"completed"}}' % self.turn)]

    def _where(self) -> bytes:
        return b'"turn":%d,"step":%d' % (self.turn, self.steps)

    def _event(self, kind: bytes, data: bytes) -> bytes:
        self.seq += 1
        time = 1_796_073_000_000 + 37 * self.seq
        return b'{"type":"%s","seq":%d,"time":%d,"data":%s,"surfaceOp":"append"}\n' % (kind, self.seq, time, data)

    def _id(self) -> bytes:
        return b"%032x" % self.rng.getrandbits(128)


def write_log(path: Path, kind: Kind, size: int, *, seed: int = SEED) -> Output:
    """Write a log of `size` bytes or a step more, in bounded memory; its expected answer."""
    session = Session(kind, seed=seed)
    with path.open("wb", buffering=1 << 20) as file:
        written = sum(map(file.write, session.beginning()))
        while written < size or session.steps < 2:
            written += sum(map(file.write, session.step()))
        for line in session.ending():
            file.write(line)
    return session.output


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
    reply = _Reply.of(rng)
    where = {"turn": 1, "step": 1}
    noise = json.loads(_noise(rng, 4_000, needles=False))
    result = {"role": "tool", "toolCallId": "call_0", "content": [{"type": "text", "text": noise}], "id": "r"}
    message = {"role": "assistant", "content": reply.content, "source": {"kind": "model"}, "id": "m"}
    delta = _piece(rng)
    packed = [_piece(rng) for _ in range(50)]
    one = [_chunk(1, {"type": "text-delta", "index": 0, "text": delta})]
    many = [{"type": "text-chunks", "time0": 1, "index": 0, "dt": _steps(packed), "texts": packed}]

    def event(kind: str, data: dict[str, Any]) -> dict[str, Any]:
        # Through JSON, so that no string is shared with the expected answer.
        made: dict[str, Any] = json.loads(dumps({"type": kind, "seq": 7, "time": 1, "data": where | data}))
        return made

    streamed = {"message": message, "stream": json.loads(reply.stream)}
    return [
        Sample("tool/result", event("tool/result", {"message": result})),
        Sample("assistant/message", event("assistant/message", streamed), content=reply.content),
        Sample("attempt, one delta", event("assistant/attempt", {"stream": one}), text=delta),
        Sample("attempt, 50 packed texts", event("assistant/attempt", {"stream": many}), text="".join(packed)),
    ]


def text_pieces(count: int, *, seed: int = SEED) -> tuple[list[str], Output]:
    """A stream of text, one object a piece; the expected answer."""
    rng = random.Random(seed)
    pieces = [_piece(rng) for _ in range(count)]
    return pieces, [{"type": "text", "text": "".join(pieces)}]
