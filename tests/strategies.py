"""Hypothesis strategies: events of every kind, sound and broken, and their renderings as JSON text."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

Strategy = st.SearchStrategy[Any]

# Halves of characters, blanks that look like none and the other way round, what JSON must escape.
_CHARACTERS = 'ab \n\t\x1c\u3000\ufeff"\\/é😀\ud83d\ude00\x00\x7f'
texts = st.text(st.sampled_from(_CHARACTERS), max_size=4)
ordinals = st.one_of(st.integers(0, 12), st.sampled_from([2**53 - 1, 2**53, -1]))

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([10**30, -0.5, 1.0]), texts, st.just("text")
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["type", "text", "a", "é"]), inner),
    max_leaves=5,
)
# Also what JSON can't say.
odd_values = st.one_of(json_values, st.sampled_from([(), ("a",), b"bytes", 1j, float("nan")]))


def mapping(required: dict[str, Strategy], optional: dict[str, Strategy] | None = None) -> Strategy:
    """An object with its keys in any order."""
    return st.fixed_dictionaries(required, optional=optional or {}).flatmap(
        lambda made: st.permutations(list(made.items())).map(dict)
    )


blocks = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, texts),
    st.builds(lambda text: {"type": "reasoning", "text": text}, texts),
    st.just({"type": "tool-call", "id": "c", "name": "bash", "arguments": "{}"}),
    json_values,
)
contents = st.one_of(st.just([]), st.lists(blocks, min_size=1, max_size=3))
pieces = st.lists(texts, max_size=3)

deltas = mapping({"type": st.just("text-delta"), "text": texts}, {"index": st.just(0)})
other_chunks = st.one_of(
    st.just({"type": "reasoning-delta", "text": "no"}),
    st.just({"type": "block-end", "block": {"type": "text", "text": "no"}}),
    mapping({"type": json_values}),
).filter(lambda chunk: chunk["type"] != "text-delta")
stream_records = st.one_of(
    mapping({"type": st.just("text-chunks"), "texts": pieces}),
    mapping({"type": st.just("chunk"), "chunk": st.one_of(deltas, other_chunks)}),
    mapping({"type": st.just("reasoning-chunks"), "texts": pieces}),
    st.just({}),
)
streams = st.one_of(st.none(), st.lists(stream_records, max_size=3))

_SEQ = {"seq": ordinals, "time": st.just(1700000000000)}


def event(kind: str, data: Strategy, **more: Strategy) -> Strategy:
    return mapping({"type": st.just(kind), "data": data}, {**_SEQ, **more})


messages = event(
    "assistant/message",
    mapping(
        {"message": mapping({"content": contents}, {"id": st.sampled_from(["m1", "m2", 7]), "role": texts})},
        {"stream": streams, "interrupted": st.booleans()},
    ),
)
attempts = event("assistant/attempt", mapping({}, {"stream": streams, "message": json_values}))
chunks = event("assistant/chunk", mapping({"chunk": st.one_of(deltas, other_chunks)}))
packed_rows = mapping({"type": st.just("text-chunks"), "data": mapping({"texts": pieces})}, {"seq0": ordinals})
other_rows = mapping(
    {"type": st.just("tool-call-chunks"), "data": mapping({"args": st.lists(texts, max_size=3)})}, {"seq0": ordinals}
)
turn_starts = event("turn/start", mapping({"turn": st.one_of(st.integers(0, 3), json_values)}))
stop_kinds = st.sampled_from(
    ["completed", "max-tokens", "max-turns", "aborted", "interrupted", "error", "blocked", "refusal", "new"]
)
turn_ends = st.one_of(
    event("turn/end", mapping({"reason": mapping({"kind": stop_kinds})})),
    event("turn/end", mapping({"reason": json_values})),
    mapping({"type": st.just("turn/end")}, {"data": json_values}),
)
seeds = event("session/end-seed", st.sampled_from([{}, {"inherited": True}]))
headers = mapping(
    {"type": st.just("session")},
    {"version": st.one_of(st.integers(0, 4), st.sampled_from([1.0, True])), "seedLength": ordinals},
)
noise = st.one_of(
    event("user/message", json_values),
    event("tool/result", json_values),
    mapping({"type": st.sampled_from(["assistant/other", "nothing", "", "reasoning-chunks"])}, {"data": json_values}),
    mapping({"type": st.one_of(st.none(), st.integers(0, 1), st.just([]))}, {"data": json_values}),
    st.just({"method": "session.status", "params": {"note": "turn/end"}}),
    st.just({}),
)
bare_events = st.one_of(
    messages, messages, attempts, chunks, packed_rows, other_rows, turn_starts, turn_ends, seeds, headers, noise
)


def enveloped(events: Strategy, sessions: Strategy) -> Strategy:
    def wrap(event: Any, session: Any, kind: str) -> dict[str, Any]:
        if kind == "headless":
            return {"type": "session_event", "sessionId": session, "event": event}
        return {"jsonrpc": "2.0", "method": "session.event", "params": {"sessionId": session, "event": event}}

    return st.builds(wrap, events, sessions, st.sampled_from(["headless", "notification"]))


child_starts = st.builds(
    lambda child: {"method": "subagent.started", "params": {"childSessionId": child}}, st.sampled_from(["s1", "s2", 3])
)
sound_events = st.one_of(bare_events, bare_events, enveloped(bare_events, st.just("s1")))
odd_envelopes = st.one_of(
    enveloped(odd_values, st.just("s1")),
    enveloped(bare_events, st.one_of(st.sampled_from(["s1", "s2"]), json_values)),
    mapping({"method": st.just("session.event")}, {"params": odd_values}),
    child_starts,
)


@st.composite
def broken_events(draw: st.DrawFn) -> Any:
    """A sound event with one thing in it replaced, removed or of another Python type."""
    made = draw(st.one_of(messages, attempts, chunks, packed_rows, enveloped(messages, st.just("s1"))))
    places: list[tuple[Any, Any]] = []

    def collect(node: Any) -> Any:
        """A copy, so that shared parts of strategies stay whole, and its places."""
        if isinstance(node, dict):
            copied: Any = {key: collect(value) for key, value in node.items()}
            places.extend((copied, key) for key in copied)
        elif isinstance(node, list):
            copied = [collect(value) for value in node]
            places.extend((copied, index) for index in range(len(copied)))
        else:
            copied = node
        return copied

    made = collect(made)
    container, key = draw(st.sampled_from(places))
    if draw(st.booleans()):
        del container[key]
    else:
        container[key] = draw(odd_values)
    return made


any_event = st.one_of(sound_events, sound_events, broken_events(), odd_envelopes, odd_values)


def event_lists(events: Strategy, max_size: int = 9) -> Strategy:
    """A log as objects; half of them start with a header."""
    return st.builds(
        lambda first, rest: [*first, *rest],
        st.one_of(st.just([]), st.lists(headers, min_size=1, max_size=1)),
        st.lists(events, max_size=max_size),
    )


sound_lists = event_lists(sound_events)
any_lists = event_lists(any_event)


class List(list):
    """A subclass that is read as the list it is."""

    def __iter__(self) -> Any:
        raise AssertionError("a subclass of list is read as a list")

    __getitem__ = __len__ = __iter__  # type: ignore[assignment]


class Dict(dict):
    """A subclass that is read as the dict it is."""

    def __getitem__(self, key: Any) -> Any:
        raise AssertionError("a subclass of dict is read as a dict")

    get = __getitem__  # type: ignore[assignment]


class Str(str):
    """A subclass that is read as the str it is."""

    __slots__ = ()

    def __str__(self) -> str:
        raise AssertionError("a subclass of str is read as a str")


def disguised(value: Any, seed: int) -> Any:
    """The same value in other Python clothes: mappings that are no dicts, subclasses of dict, list and str."""
    rng = random.Random(seed)

    def dress(node: Any) -> Any:
        if isinstance(node, dict):
            inner = {key: dress(value) for key, value in node.items()}
            return rng.choice([dict, dict, MappingProxyType, Dict])(inner)
        if isinstance(node, list):
            return rng.choice([list, list, List])([dress(value) for value in node])
        if isinstance(node, str):
            return rng.choice([str, Str])(node)
        return node

    return dress(value)


def undressed(value: Any) -> Any:
    """The same value in plain clothes, so that it can be compared as JSON."""
    if isinstance(value, dict):
        return {key: undressed(inner) for key, inner in dict.items(value)}
    if isinstance(value, Mapping):
        return {key: undressed(value[key]) for key in value}
    if isinstance(value, list):
        return [undressed(inner) for inner in list.__iter__(value)]
    return [undressed(inner) for inner in value] if isinstance(value, tuple) else value


def is_json(value: Any) -> bool:
    """Whether JSON text can say it."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return not _has_tuple(value)


def _has_tuple(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_tuple, value.values()))
    return isinstance(value, tuple) or (isinstance(value, list) and any(map(_has_tuple, value)))


def rendered(value: Any, rng: random.Random) -> str:
    """The value as JSON text in some shape: key order, spacing, escapes, duplicate keys of which the last counts."""

    def space() -> str:
        return rng.choice(["", "", "", " ", "\t", "  "])

    def string(text: str) -> str:
        plain = rng.random() < 0.7
        shown = []
        for character in text:
            code = ord(character)
            if 0xD800 <= code <= 0xDFFF or (not plain and rng.random() < 0.3 and code < 0x10000):
                digits = f"{code:04x}"
                shown.append("\\u" + (digits.upper() if rng.random() < 0.5 else digits))
            elif character == "/" and not plain:
                shown.append("\\/")
            else:
                shown.append(json.dumps(character, ensure_ascii=rng.random() < 0.3)[1:-1])
        return '"' + "".join(shown) + '"'

    def member(key: str, shown: str) -> str:
        return f"{space()}{string(key)}{space()}:{space()}{shown}{space()}"

    def render(node: Any) -> str:
        if isinstance(node, dict):
            items = list(node.items())
            rng.shuffle(items)
            members = [member(key, render(value)) for key, value in items]
            if items and rng.random() < 0.1:
                key = rng.choice(items)[0]
                members.insert(0, member(key, rng.choice(["null", "[]", '"x"', '{"a":1}', "3"])))
            return "{" + (",".join(members) or space()) + "}"
        if isinstance(node, list):
            return "[" + (",".join(space() + render(value) + space() for value in node) or space()) + "]"
        return string(node) if isinstance(node, str) else json.dumps(node)

    return space() + render(value) + space()


_DAMAGE = (
    b'{"type":"assistant/message"',
    b'{"type":"assistant/message","data":{"message":{"content":[NaN]}}}',
    b'{"type":"assistant/message","data":{"message":{"content":["\xff"]}}}',
    b'\xef\xbb\xbf{"type":"assistant/chunk"}',
    b'["assistant/message"]',
    b'"turn/start"',
    b"nothing\xff",
    b"[",
    b'{"type":"assistant/message","data":{"message":{"content":[1e999]}}}',
    b'{"type":"assistant/message","data":{"message":{"content":[' + b"9" * 4301 + b"]}}}",
    b'{"type":"assistant/attempt","data":{"stream":null,"x":' + b"[" * 600 + b"]" * 600 + b"}}",
    b'{"type":"x/y","note":"turn/end","x":' + b"[" * 600 + b"9" * 4301 + b"]" * 600 + b"}",
    b'{"type":"turn/end","data":{"reason":{"kind":"completed"}},"n":' + b"9" * 4301 + b"}",
)


@st.composite
def logs(draw: st.DrawFn, events: Strategy, *, damage: bool = False) -> bytes:
    """A log as bytes: events rendered, line ends, blank lines, a BOM, a torn tail, and with `damage` bad lines."""
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    lines = [rendered(made, rng).encode() for made in draw(event_lists(events)) if is_json(made)]
    if damage:
        for bad in draw(st.lists(st.sampled_from(_DAMAGE), max_size=2)):
            lines.insert(draw(st.integers(0, len(lines))), bad)
    log = b""
    for line in lines:
        log += rng.choice([b"", b"", b"", b" \t\r\n", b"\n"]) + line + rng.choice([b"\n", b"\n", b"\r\n"])
    tail = draw(st.sampled_from(["whole", "whole", "no line end", "torn", "padded", "torn and padded"]))
    if tail == "no line end":
        log = log.rstrip(b"\r\n")
    if tail.startswith("torn") and lines:
        log += lines[-1].strip()[: rng.randrange(1, len(lines[-1].strip()) + 1)]
    if tail.endswith("padded"):
        log += bytes(rng.choice([1, 3, 512]))
    return (b"\xef\xbb\xbf" if draw(st.integers(0, 4)) == 0 else b"") + log


sound_logs = logs(sound_events)
any_logs = logs(any_event, damage=True)

suffix_options = st.one_of(
    st.just({}),
    st.just({"suffix": "own"}),
    st.just({"suffix": "whole"}),
    st.builds(lambda start: {"start": start}, st.integers(-6, 9)),
    st.builds(lambda turn: {"turn": turn}, st.integers(-1, 3)),
    st.builds(lambda seq: {"since_seq": seq}, st.integers(0, 12)),
)
read_options = st.builds(
    lambda suffix, malformed: {**suffix, **malformed},
    suffix_options,
    st.sampled_from([{}, {}, {"on_malformed": "raise"}, {"on_malformed": "skip"}]),
)
