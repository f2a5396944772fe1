"""A `dsh` session of version 4 from a seed, step by step, with the answer that is expected of it.

It is written step by step, so its size costs no memory. What varies is who speaks:

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
from dataclasses import dataclass
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
# Pieces of reasoning and of text in one reply.
REPLY_PIECES: Final = (40, 106)
# For logs of a few kilobytes: short results, short replies.
SMALL_NOISE: Final = (20, 60)
SMALL_PIECES: Final = (2, 4)

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


def piece(rng: random.Random) -> str:
    """One token of a model, a new object each time: one in twelve is wide."""
    return f" {rng.choice(_WIDE if rng.random() < 1 / 12 else _WORDS)}"


def _prose(rng: random.Random, size: int) -> str:
    pieces: list[str] = []
    while size > 0:
        pieces.append(piece(rng))
        size -= len(pieces[-1])
    return "".join(pieces)


def printed(rng: random.Random, size: int, *, needles: bool) -> bytes:
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
class Reply:
    """What a model streamed in one step, and the message a harness makes of it."""

    text: str
    stream: bytes
    content: list[dict[str, Any]]
    content_json: bytes

    @classmethod
    def of(cls, rng: random.Random, *, pieces: tuple[int, int] = REPLY_PIECES) -> Reply:
        thoughts = [piece(rng) for _ in range(pieces[0])]
        said = [piece(rng) for _ in range(pieces[1])]
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
                chunk(time, {"type": "block-start", "index": index, "blockType": kind}),
                {"type": f"{kind}-chunks", "time0": time, "index": index, "dt": steps(pieces), "texts": pieces},
            ]
            if kind == "text":
                stream.append(chunk(time, {"type": "text-delta", "index": index, "text": said[-1]}))
            stream.append(chunk(time, {"type": "block-end", "index": index, "block": blocks[index]}))
        args = [arguments[at : at + 6] for at in range(0, len(arguments), 6)]
        stream += [
            {"type": "tool-call-chunks", "time0": time, "index": 2, "dt": steps(args), "id": "call_0", "args": args},
            chunk(time, {"type": "usage", "usage": {"inputTokens": 14_209, "outputTokens": 181}}),
            chunk(time, {"type": "finish", "reason": {"kind": "tool-calls"}}),
        ]
        return cls("".join(said), dumps(stream), blocks, dumps(blocks))


def chunk(time: int, delta: dict[str, Any]) -> dict[str, Any]:
    return {"type": "chunk", "time": time, "chunk": delta}


def steps(pieces: list[str]) -> list[int]:
    return [0] * (len(pieces) - 1)


class Session:
    """One session as it is written: `beginning`, then `step` as often as wanted, then `ending`."""

    def __init__(
        self,
        kind: Kind,
        *,
        noise: tuple[int, int] = LOG_NOISE,
        pieces: tuple[int, int] = REPLY_PIECES,
        seed: int = SEED,
    ) -> None:
        rng = random.Random(seed)
        self.kind = kind
        self.rng = rng
        # Pools, so that a GB takes seconds; they hold far more than a processor's caches do.
        self.replies = [Reply.of(rng, pieces=pieces) for _ in range(512)]
        self.plain = [printed(rng, rng.randint(*noise), needles=False) for _ in range(1_024)]
        self.needles = [printed(rng, rng.randint(*noise), needles=True) for _ in range(64)]
        self.restart()

    def restart(self) -> None:
        """Begin another session; what it draws goes on from the same seed."""
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

    def _reply(self, reply: Reply) -> bytes:
        speaks = self.kind == "normal" or (self.kind == "tail_far" and self.steps == 2)
        if speaks:
            return self._message(reply.content, reply.content_json, reply)
        if self.content is None:
            self.streamed.append(reply.text)
        if self.steps % 2:
            return self._event(b"assistant/attempt", b'{%s,"stream":%s}' % (self._where(), reply.stream))
        return self._message([], b"[]", reply)

    def _message(self, content: list[dict[str, Any]], content_json: bytes, reply: Reply) -> bytes:
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
