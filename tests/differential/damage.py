"""Logs as bytes, and what happens to bytes: bad lines, torn tails, padding, byte order marks, spoilt bytes."""

from __future__ import annotations

from differential.choice import Choice

BOM = b"\xef\xbb\xbf"

# Records that are broken, or look as if; many hold a needle, some don't.
RECORDS = (
    b'{"type":"assistant/message"',
    b'{"type":"assistant/message","data":{"message":{"content":[NaN]}}}',
    b'{"type":"assistant/message","data":{"message":{"content":["\xff"]}}}',
    b'{"type":"assistant/message","data":{"message":{"content":[{"type":"text","text":"\xed\xa0\x80"}]}}}',
    b'{"type":"assistant/message","data":{"message":{"content":[1e999]}}}',
    b'{"type":"assistant/message","data":{"message":{"content":[{"a":[0,' + b"9" * 4301 + b"]}]}}}",
    b'{"type":"assistant/message","data":{"message":{"content":[' + b"9" * 4300 + b"]}}}",
    b'{"type":"assistant/attempt","data":{"stream":null,"x":' + b"[" * 600 + b"]" * 600 + b"}}",
    b'{"type":"assistant/attempt","data":{"stream":[],"x":' + b"[" * 510 + b"]" * 510 + b"}}",
    b'{"type":"assistant/attempt","data":{"stream":[],"x":' + b"[" * 511 + b"]" * 511 + b"}}",
    b'{"type":"x/y","note":"turn/end","x":' + b"[" * 1500 + b"9" * 4301 + b"]" * 1500 + b"}",
    b'{"type":"x/y","note":"turn/end","x":' + b"[" * 1500,
    b'{"type":"turn/end","data":{"reason":{"kind":"completed"}},"n":' + b"-" + b"9" * 4301 + b"}",
    b'{"type":"turn/start","data":{"turn":' + b"1" * 4301 + b"}}",
    b'{"type":"turn/start","data":{"turn":1e999}}',
    b'{"type":"session","version":0,"seedLength":3,"id":"\\ud83d"}',
    b'{"type":"session","version":1,"seedLength":1e0}',
    BOM + b'{"type":"assistant/chunk","data":{"chunk":{}}}',
    b'["assistant/message"]',
    b'[{"type":"assistant/message","data":{"message":{"content":["in a list"]}}}]',
    b'"turn/start"',
    b"turn/end",
    b"null assistant/",
    b"{} {} turn/end",
    b"nothing\xff",
    b"nothing",
    b"{}",
    b"[]",
    b"3",
    b"[",
    b"{",
    b"]",
    b"\x00",
    b"\x00turn/end",
    b"\xff\xfeturn/end",
    b"\x1f\x8bturn/end",
    b"\x28\xb5\x2f\xfdturn/end",
    b'{"type":"x","a":"\\u0061"}',
    b'{"a":"\\/"',
    b'{"a":"\\u0081 \\u0021"',
    b'{"type":"session_event","event":{"type":"assistant/message"},"sessionId":"s1"}',
    b'{"method":"session.event","params":{"sessionId":"s1","event":3}}',
    b'{"method":"session.event","params":{"sessionId":"s2"}}',
    b'{"method":"subagent.started","params":{"childSessionId":"s1"}}',
    b"// turn/end",
)
BLANKS = (b"", b"", b" ", b"\t", b"\r", b" \t\r", b" " * 70)
# What is put into text to spoil it: grammar, numbers, escapes, bytes that are no UTF-8.
TOKENS = (
    b'"', b"\\", b"{", b"}", b"[", b"]", b":", b",", b" ", b"0", b"-", b"+", b".", b"e", b"E9", b"1e999", b"-0", b"01",
    b"NaN", b"Infinity", b"-Infinity", b"null", b"true", b"nul", b"\x00", b"\x1f", b"\x7f", b"\x80", b"\xc0\x80",
    b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf0\x9f\x98", b"\xff", b"\\u", b"\\u12", b"\\ud83d", b"\\ude00",
    b"\\u0000", b"\\x", b"\\/", b"/", b"\n", b"\r", b"\t", b"\x0b", b"\xc2\xa0", b"\xe2\x80\xa8", b"'", b"//",
    b"9" * 20, BOM, b'"type":"assistant/message",', b'"data":null,', b"\\u0061", b"\\\\",
)  # fmt: skip
LONG_TOKENS = (b"[" * 511, b"[" * 520, b"]" * 511, b"1" * 4301, b"1" * 4300, b"[" * 1500 + b"]" * 1500)
TAILS = (b"\n", b"\n", b"\n", b"", b"\r\n", b"\n\n \n", b"\n\x00\x00\x00", b"\x00", b"\x00" * 600, b"\n{",
         b'\n{"ty', b"\n  ", b"\n42", b'\n"turn', b"\n[]", b"\n{}", b"\n\xff", b"\n" + BOM, b"\n}", b"\n{}x",
         b"\n\x00{}")  # fmt: skip


_LONG = tuple(record for record in RECORDS if len(record) > 400)
_SHORT = tuple(record for record in RECORDS if len(record) <= 400)


def bad_record(choice: Choice) -> bytes:
    """One that is broken, or looks as if; rarely one of those that take long to read."""
    return choice.of(_LONG if choice.chance(0.05) else _SHORT)


def spoilt(data: bytes, choice: Choice) -> bytes:
    """The bytes with up to three things done to them."""
    for _ in range(choice.between(1, 3)):
        roll = choice.random()
        at = choice.below(len(data) + 1)
        if roll < 0.4:
            data = data[:at] + choice.of(LONG_TOKENS if choice.chance(0.02) else TOKENS) + data[at:]
        elif roll < 0.6:
            data = data[:at] + data[at + choice.between(1, 4) :]
        elif roll < 0.75:
            data = data[:at] + choice.of(LONG_TOKENS if choice.chance(0.02) else TOKENS) + data[at + 1 :]
        elif roll < 0.85:
            end = min(len(data), at + choice.between(1, 30))
            data = data[:end] + data[at:end] + data[end:]
        elif roll < 0.95:
            data = data[:at] + bytes((choice.below(256),)) + data[at + 1 :]
        else:
            data = data[:at]
    return data


def log_of(lines: list[bytes], choice: Choice, damage: float) -> bytes:
    """A log of those records; `damage` is how much of it is broken, from 0 to 1."""
    shown = []
    for line in lines:
        if choice.chance(0.1):
            shown.append(choice.of(BLANKS))
        if damage and choice.chance(damage / 3):
            roll = choice.random()
            if roll < 0.5:
                shown.append(bad_record(choice))
            elif roll < 0.8:
                line = spoilt(line, choice)
            else:
                line = line[: choice.below(len(line) + 1)]
        if choice.chance(0.08):
            line += b"\r"
        shown.append(line)
    if damage and choice.chance(damage / 2):
        shown.insert(choice.below(len(shown) + 1), bad_record(choice))
    tail = choice.of(TAILS) if choice.chance(0.5) else b"\n"
    if lines and choice.chance(0.1):
        tail = b"\n" + lines[-1][: choice.below(len(lines[-1]) + 1)] + choice.of((b"", b"", b"\x00", b" "))
    log = b"\n".join(shown) + tail
    if choice.chance(0.08):
        log = BOM + log
    if damage and choice.chance(damage / 8):
        log = log[: choice.below(len(log) + 1)]
    if damage and choice.chance(damage / 10):
        log = spoilt(log, choice)
    return log


# Where windows at a log's end, blocks from its start and what is read ahead end; the smaller ones cost little.
EDGES = (1 << 12, 1 << 12, 1 << 13, 1 << 14, 1 << 14, 80 << 10, 1 << 16, 1 << 18, 1 << 19, 1 << 20)
# What stands between: long lines, many lines, lines full of needles and of escapes by which one could be spelt.
FILLERS = (
    b"x",
    b" ",
    b"\x00",
    b'{"a":"',
    b"x" * 250 + b"\n",
    b" " * 99 + b"\n",
    b'{"type":"tool/result","data":"\\u0061ssistant \\/ assistant\\/message turn/end"}\n',
    b'{"type":"tool/result","data":"assistant/message","x":["\xe6\x96\x87\xf0\x9f\x8e\x89"]}\r\n',
    b'{"type":"assistant/attempt","data":{"stream":[{"type":"text-chunks","texts":["","a"]}]}}\n',
    b'{"type":"assistant/message","data":{"message":{"content":[]}}}\n',
    b'{"type":"turn/start","data":{"turn":1},"seq":4}\n',
    b"assistant/",
)


def stretched(log: bytes, choice: Choice) -> bytes:
    """The log with filler, so that lines and needles fall on the edges of the blocks in which it is read."""
    edge = choice.of(EDGES)
    lines = log.split(b"\n")
    at = choice.below(len(lines))
    filler = choice.of(FILLERS)
    before = sum(len(line) + 1 for line in lines[:at])
    size = max(0, edge - before - choice.below(140))
    padding = (filler * (size // len(filler) + 1))[:size]
    if choice.chance(0.6):
        # Counted from the end, where reading backward begins.
        after = sum(len(line) + 1 for line in lines[at:])
        padding = padding[: max(0, edge - after + choice.below(40))]
    lines.insert(at, padding)
    return b"\n".join(lines)
