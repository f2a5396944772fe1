"""Events of the format dsh, sound and odd, drawn by weight (S4)."""

from __future__ import annotations

from typing import Any

from differential.choice import Choice

Event = dict[str, Any]

# Halves of characters that may meet, blanks that look like none and the other way round, what JSON must escape,
# what makes a line a candidate wherever it stands.
TEXTS = (
    "", "", "a", "b", "ok", "  ", "\n", "\t", "\x1c", "\u3000", "\ufeff", "\x85", '"', "\\", "/", "é", "😀", "\ud83d",
    "\ude00", "\ud83da", "x\ude00", "\x00", "\x7f", "\u2028", "assistant/", "turn/end", "turn/start", "text-chunks",
    "end-seed", "subagent.started", "\\u0061", "x" * 60, "null", "[{", "data: x",
)  # fmt: skip
NUMBERS = (0, 1, -1, 7, 2**53 - 1, 2**53, -(2**63), 2**64, 10**30, 0.5, -0.0, 1.0, 1e300, 2.5e-320)
SESSIONS = ("s1", "s1", "s1", "s2", "s3", "", "é\ud83d")
STOPS = ("completed", "completed", "max-tokens", "max-turns", "aborted", "interrupted", "error", "blocked", "refusal",
         "new", "", "\ud83d")  # fmt: skip
TYPES = ("assistant/message", "assistant/attempt", "assistant/chunk", "text-chunks", "turn/start", "turn/end",
         "session/end-seed", "session", "session_event", "reasoning-chunks", "tool-call-chunks", "user/message",
         "tool/result", "assistant/other", "assistant/", "nothing", "", "/")  # fmt: skip


class Grammar:
    """Draws events. `odd` is how often a part is of the wrong kind, missing, or strange."""

    def __init__(self, choice: Choice, odd: float = 0.0, *, python: bool = False) -> None:
        self.choice = choice
        self.odd = odd
        # Also what JSON can't say.
        self.python = python

    # --- values

    def text(self) -> str:
        return self.choice.of(TEXTS)

    def ordinal(self) -> Any:
        choice = self.choice
        return choice.below(13) if choice.chance(0.9) else choice.of((2**53 - 1, 2**53, -1, True, 1.0, "1", None, 1.5))

    def value(self, depth: int = 2) -> Any:
        """Any value."""
        choice = self.choice
        roll = choice.random()
        if depth and roll < 0.15:
            return [self.value(depth - 1) for _ in range(choice.below(3))]
        if depth and roll < 0.35:
            return {
                choice.of(("type", "text", "data", "a", "é", "")): self.value(depth - 1) for _ in range(choice.below(3))
            }
        if roll < 0.55:
            return self.text()
        if roll < 0.7:
            return choice.of(NUMBERS)
        if self.python and roll < 0.8:
            return choice.of(((), ("a",), b"bytes", 1j, float("inf"), range(3), {1: 2}, frozenset()))
        return choice.of((None, True, False, "text", 3))

    def _or_odd(self, sound: Any) -> Any:
        return self.value() if self.odd and self.choice.chance(self.odd) else sound

    def _object(self, members: dict[str, Any]) -> Any:
        """The members in some order; an odd one lacks some, or is no object."""
        choice = self.choice
        if self.odd and choice.chance(self.odd):
            if choice.chance(0.2):
                return self.value()
            if members:
                del members[choice.of(tuple(members))]
        if choice.chance(0.2):
            return dict(choice.shuffled(tuple(members.items())))
        return members

    # --- what is said

    def block(self) -> Any:
        choice = self.choice
        roll = choice.random()
        if roll < 0.55:
            return self._object({"type": "text", "text": self._or_odd(self.text())})
        if roll < 0.7:
            return {"type": "reasoning", "text": self.text()}
        if roll < 0.8:
            return {"type": "tool-call", "id": "c", "name": "bash", "arguments": "{}"}
        return self.value()

    def content(self) -> Any:
        choice = self.choice
        if choice.chance(0.3):
            return self._or_odd([])
        return self._or_odd([self.block() for _ in range(choice.between(1, 3))])

    def pieces(self) -> Any:
        return self._or_odd([self._or_odd(self.text()) for _ in range(self.choice.below(4))])

    def chunk(self) -> Any:
        choice = self.choice
        if choice.chance(0.7):
            return self._object({"type": "text-delta", "text": self._or_odd(self.text())})
        return choice.of(
            ({"type": "reasoning-delta", "text": "no"}, {"type": "block-end", "block": {"type": "text", "text": "no"}},
             {"type": "usage"}, {}, {"type": None, "text": "no"}, {"type": ["text-delta"], "text": "no"})
        )  # fmt: skip

    def stream_record(self) -> Any:
        choice = self.choice
        roll = choice.random()
        if roll < 0.5:
            return self._object({"type": "text-chunks", "texts": self.pieces()})
        if roll < 0.8:
            return self._object({"type": "chunk", "chunk": self.chunk()})
        if roll < 0.9:
            return {"type": "reasoning-chunks", "texts": self.pieces()}
        return self._or_odd({})

    def stream(self) -> Any:
        choice = self.choice
        if choice.chance(0.15):
            return None
        return self._or_odd([self.stream_record() for _ in range(choice.below(3))])

    # --- events

    def _event(self, kind: Any, data: Any) -> Any:
        choice = self.choice
        event = {"type": kind, "data": data}
        if choice.chance(0.6):
            event["seq"] = self.ordinal()
        if choice.chance(0.2):
            event["time"] = 1700000000000
        return self._object(event)

    def message(self) -> Any:
        choice = self.choice
        message: Event = {"content": self.content()}
        if choice.chance(0.5):
            message["id"] = choice.of(("m1", "m2", "é", 7, None, "\ud83d"))
        if choice.chance(0.3):
            message["role"] = choice.of(("assistant", "user", ""))
        data = {"message": self._object(message)}
        if choice.chance(0.5):
            data["stream"] = self.stream()
        return self._event("assistant/message", self._object(data))

    def attempt(self) -> Any:
        return self._event(
            "assistant/attempt", self._object({"stream": self.stream()} if self.choice.chance(0.9) else {})
        )

    def chunk_event(self) -> Any:
        return self._event("assistant/chunk", self._object({"chunk": self.chunk()}))

    def row(self) -> Any:
        event: Event = {"type": "text-chunks", "data": self._object({"texts": self.pieces()})}
        if self.choice.chance(0.8):
            event["seq0"] = self.ordinal()
        return self._object(event)

    def other_row(self) -> Any:
        choice = self.choice
        kind = choice.of(("reasoning-chunks", "tool-call-chunks"))
        data = {choice.of(("texts", "args")): [self.text() for _ in range(choice.below(4))]}
        return {"type": kind, "seq0": self.ordinal(), "data": self._or_odd(data)}

    def turn_start(self) -> Any:
        choice = self.choice
        number = choice.below(4) if choice.chance(0.8) else self.value()
        return self._event("turn/start", {"turn": number} if choice.chance(0.95) else self.value())

    def turn_end(self) -> Any:
        choice = self.choice
        if choice.chance(0.85):
            return self._event("turn/end", {"reason": {"kind": choice.of(STOPS)}})
        reason = choice.of((None, {}, [], "completed", {"kind": None}, {"kind": 3}, {"kind": ["completed"]}))
        return choice.of((self._event("turn/end", {"reason": reason}), {"type": "turn/end"}))

    def seed(self) -> Any:
        return self._event("session/end-seed", self.choice.of(({}, {"inherited": True})))

    def header(self) -> Any:
        choice = self.choice
        event: Event = {"type": "session", "version": choice.of((0, 0, 1, 1, 2, 3, 4, 1.0, True, None))}
        if choice.chance(0.7):
            event["seedLength"] = self.ordinal()
        if choice.chance(0.6):
            event["id"] = choice.of((*SESSIONS, 3, None))
        return self._object(event)

    def noise(self) -> Any:
        choice = self.choice
        roll = choice.random()
        if roll < 0.4:
            return self._event(choice.of(("user/message", "tool/result", "x/y")), self.value())
        if roll < 0.6:
            return {"type": choice.of(TYPES[9:]), "data": self.value()}
        if roll < 0.8:
            return {"type": choice.of((None, 0, True, [], {})), "data": self.value()}
        return choice.of(
            ({}, {"method": "session.status", "params": {"note": "turn/end"}}, {"method": "session.status"},
             {"method": "subagent.finished", "params": None}, {"method": 3}, {"jsonrpc": "2.0", "id": 1, "result": {}})
        )  # fmt: skip

    def bare(self) -> Any:
        roll = self.choice.random()
        for limit, make in _BARE:
            if roll < limit:
                return make(self)
        return self.noise()

    def enveloped(self, event: Any, session: Any) -> Any:
        choice = self.choice
        inner = self._object({"sessionId": session, "event": event})
        if choice.chance(0.4):
            return (
                {"type": "session_event", **inner}
                if isinstance(inner, dict)
                else {"type": "session_event", "event": inner}
            )
        return self._object({"jsonrpc": "2.0", "method": "session.event", "params": inner})

    def child_start(self) -> Any:
        choice = self.choice
        child = choice.of(SESSIONS) if choice.chance(0.9) else self.value()
        return self._object({"method": "subagent.started", "params": self._object({"childSessionId": child})})

    def events(self, most: int = 9, *, sessions: int | None = None) -> list[Any]:
        """A log: `sessions` 0 is bare, 1 one session's envelopes, more than 1 those of several."""
        choice = self.choice
        if sessions is None:
            sessions = choice.of((0, 0, 0, 1, 1, 2))
        events = [self.header()] if choice.chance(0.5) and sessions == 0 else []
        ids = SESSIONS[:1] if sessions == 1 else SESSIONS
        for _ in range(choice.below(most + 1)):
            event = self.bare()
            if sessions and choice.chance(0.85):
                event = self.enveloped(event, self._or_odd(choice.of(ids)))
            elif sessions > 1 and choice.chance(0.5):
                event = self.child_start()
            elif self.odd and choice.chance(self.odd / 2):
                event = self.value()
            events.append(event)
        return events


_BARE = (
    (0.25, Grammar.message),
    (0.35, Grammar.attempt),
    (0.47, Grammar.chunk_event),
    (0.57, Grammar.row),
    (0.62, Grammar.other_row),
    (0.70, Grammar.turn_start),
    (0.80, Grammar.turn_end),
    (0.85, Grammar.seed),
    (0.88, Grammar.header),
    (0.90, Grammar.child_start),
)
