"""JSON judged in blocks: what stands where blocks meet, and every small damage (spec S6.2, S6.4, S7).

Sixty-four bytes are judged at a time, and what is unusual by another reader. So what may go wrong is moved to each
place of a block, and small records are damaged at each of their bytes, where they stand and across a border.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, chunk, end_seed, header, headless, message, notification, packed, turn_end
from lastsaid import MalformedEventError

BLOCK = 64
# What a byte is replaced by, and what is put before it.
BYTES = [
    *(bytes([byte]) for byte in b'"\\{}[]:, \t01-.eEu/tA'),
    b"\x00",
    b"\x1f",
    b"\x80",
    b"\xc3",
    b"\xe6\x96",
    b"\xf0",
]

EVENTS: list[Any] = [
    message("hi", id="m", seq=3),
    message("a", {"type": "tool-call", "id": "c"}),
    {"type": "assistant/message", "data": {"message": {"content": []}, "stream": None}},
    attempt("a", "", "b"),
    {
        "type": "assistant/attempt",
        "data": {"stream": [{"type": "chunk", "chunk": {"type": "text-delta", "text": "a"}}]},
    },
    chunk("x", seq=1),
    packed(2, "p", "q"),
    turn_end("blocked"),
    end_seed(inherited=True),
    header(1, seedLength=2, id="h"),
    notification(chunk("n")),
    headless(chunk("h")),
    {"type": "x/y", "data": [0, -1, 1.5, True, False, None, "", [], {}]},
]
WRITTEN = [
    *(json.dumps(event, separators=(",", ":")).encode() for event in EVENTS),
    json.dumps(message("spaced", seq=3)).encode(),
    b'{"type":"assistant\\/chunk","data":{"chunk":{"type":"text-delta","text":"\\ud83d\\ude00\\n\\\\"}}}',
    '{"type":"assistant/chunk","data":{"chunk":{"type":"text-delta","text":"é文🎉"}}}'.encode(),
    b'{"n":[-0,0.0,12e3,1E-2,1e+9,123456789],"type":"assistant/chunk"}',
    b' {"type" :\t"turn/end" , "data": { }\r} ',
]


def told(engine: Any, record: bytes) -> Any:
    """All that one record does to a fold."""
    fold = engine.AssistantOutputFold()
    try:
        fold.push_json(record)
    except MalformedEventError as error:
        return error.kind, error.path, str(error)
    return fold.__reduce__()[1][0]


def moved(record: bytes, place: int) -> bytes:
    """The record with a member in front of the others, so that its byte `place` is the first of a block."""
    at = record.index(b"{")
    lead, end = b'{"p":"', b'",'
    missing = (1 - place - len(lead) - len(end)) % BLOCK
    return record[:at] + lead + b"x" * missing + end + record[at + 1 :]


def damaged(record: bytes, place: int) -> Iterator[bytes]:
    before, after = record[:place], record[place + 1 :]
    yield before
    yield before + after
    for other in BYTES:
        yield before + other + after
        yield before + other + record[place:]
    for bit in (1, 0x20, 0x80):
        yield before + bytes([record[place] ^ bit]) + after


@pytest.mark.parametrize("number", range(len(WRITTEN)))
def test_a_record_damaged_at_any_byte(both_engines: Any, number: int) -> None:
    """spec S6.4: the same error, of the same kind, or the same state."""
    record = WRITTEN[number]
    assert not isinstance(told(both_engines.rust, record), tuple) or number == len(WRITTEN) - 2
    for place in range(len(record)):
        shifted = moved(record, place)
        for whole in (record, shifted):
            for other in damaged(whole, place + len(whole) - len(record)):
                assert told(both_engines.rust, other) == told(both_engines.python, other), other


@pytest.fixture
def rust(both_engines: Any) -> ModuleType:
    engine: ModuleType = both_engines.rust
    return engine


def placed(inside: bytes, place: int) -> bytes:
    """A record that nobody reads, in which a value begins at that byte of a block."""
    lead = b'{"type":"x/y","p":"' + b"x" * BLOCK
    at = (place - len(lead) - len(b'","d":')) % BLOCK
    return lead + b"x" * at + b'","d":' + inside + b"}"


def is_json(record: bytes) -> bool:
    """What a parser that isn't ours says, where it is as strict."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        json.loads(record.decode(), parse_constant=refuse)
    except ValueError:
        return False
    return True


def assert_alike(engines: Any, inside: bytes) -> None:
    for place in range(BLOCK):
        record = placed(inside, place)
        said = told(engines.rust, record)
        assert said == told(engines.python, record), record
        refused = isinstance(said, tuple) and said[0] in ("not_json", "not_utf8")
        assert refused is not is_json(record), record


SCALARS = """\
0 00 01 -0 -00 -01 - -- -a 1. .1 1.0 01.0 -1.5 0.0.0 1e 1e5 1E+5 1e- 1.e1 +1 0x1 1_0 1a 12-3
true tru truee True false fals null nul nulll nan NaN Infinity -Infinity t f n truefalse true1 1true"""


@pytest.mark.parametrize(
    "scalar", [*SCALARS.split(), *("7" * length for length in (*range(61, 68), 126, 127, 129, 200))]
)
def test_scalars_at_every_place_of_a_block(both_engines: Any, scalar: str) -> None:
    written = scalar.encode()
    for inside in (written, b"[" + written + b"]", b"[1, " + written + b',"a"]', b'{"a":' + written + b"}"):
        assert_alike(both_engines, inside)


STRUCTURES = """
[] {} [[]] [{}] {"a":{}} {"a":[]} [1,2] ["a","b"] {"a":1,"b":2} {"":""} [""] {"a":{"b":[{"c":[[]]}]}}
[, [1,] [,1] [1,,2] [1~2] ["a"~"b"] ["a":1] ["a":] [:] [[] []] [{}{}] [[]1] [1[]] ["a"1] [1"a"] [1:2] [}
{"a"} {"a":} {"a":1,} {,"a":1} {"a":1,,"b":2} {"a":1"b":2} {"a"~"b":1} {"a"::1} {"a":"b":1} {1:2} {true:1} {[]:1}
{{}:1} {:1} {"a":1:2} {"a",1} {"a","b":1} {"a":1,2} {"a":1,"b"} {"a":1,{}} {"a":1,[]} {] {"a":[} {"a":[}] {"a":1]
[1} [{]} "a"b "a""b" "a","b" {}{} []1 1[] {}[] } ] }} ]] { [ : , :: ,,
"""


@pytest.mark.parametrize("spaces", ["", " ", "  ", "\t", "\r"], ids=ascii)
def test_structures_at_every_place_of_a_block(both_engines: Any, spaces: str) -> None:
    """As they are, with white space behind each separator, before it, and around each bracket."""
    for line in STRUCTURES.strip().split("\n"):
        for structure in line.split(" "):
            plain = structure.replace("~", " ")
            shown = {plain}
            for marks in (",", ":", ",:", "[{", "]}"):
                for mark in marks:
                    shown |= {plain.replace(mark, mark + spaces), plain.replace(mark, spaces + mark)}
            both = plain.replace(",", "," + spaces).replace(":", ":" + spaces)
            for inside in shown | {both} if spaces else {plain}:
                for place in (0, 17, *range(BLOCK - len(inside) - 2, BLOCK)):
                    record = placed(inside.encode(), place)
                    said = told(both_engines.rust, record)
                    assert said == told(both_engines.python, record), record
                    assert isinstance(said, tuple) is not is_json(record), record


@pytest.mark.parametrize(
    "record",
    ['{},"}', '{}, "}', '[],"]', '{"type":"turn/end"},"}', '{},1,"a",true,"}', '{},"' + "x" * 150 + "}"],
    ids=lambda record: record[:24],
)
def test_a_string_after_the_value_that_does_not_end(both_engines: Any, record: str) -> None:
    """spec S7 `not_json`: the last byte looks like the bracket that closes the value."""
    for written in (record.encode(), b'{"p":"' + b"x" * 60 + b'"}' + record[record.index(",") :].encode()):
        assert told(both_engines.rust, written) == told(both_engines.python, written)


@pytest.mark.parametrize(
    ("length", "letters"),
    [*((length, '{}[],:"1 ') for length in range(2, 8)), (8, '{},:"1'), (8, '[],"1 '), (9, '{:"}\\')],
)
def test_every_short_record(rust: ModuleType, length: int, letters: str) -> None:
    """All that can be written with those letters and begins and ends with brackets; the oracle isn't ours."""
    push = rust.AssistantOutputFold().push_json
    for inside in itertools.product(letters, repeat=length - 2):
        for opening, closing in itertools.product(sorted(set("{[") & set(letters)), sorted(set("}]") & set(letters))):
            record = f"{opening}{''.join(inside)}{closing}"
            try:
                push(record)
                refused = False
            except MalformedEventError as error:
                refused = error.kind == "not_json"
            assert refused is not is_json(record.encode()), record


@pytest.mark.parametrize("run", [1, 2, 3, 4, 5, 62, 63, 64, 65, 66, 127, 128, 129])
def test_runs_of_backslashes_at_every_place_of_a_block(both_engines: Any, run: int) -> None:
    for after in (b'"', b'"]', b'","', b"n", b"x", b"u0041", b"u004", b"u00g1", b"U0041", b"u", b"/", b"\\", b""):
        assert_alike(both_engines, b'["' + b"\\" * run + after + b'"]')


ODD = [
    b"\\u0041",
    b"\\uD83D\\uDE00",
    b"\\ud83d",
    b"\\ude00\\ud83d",
    b"\\u12",
    b"\\u123",
    b"\\u123:",
    b"\\u/000",
    b"\\uG000",
]
WIDE = ["é".encode(), "文".encode(), "🎉".encode(), b"\x80", b"\xc3", b"\xc0\x80", b"\xe6\x96", b"\xe0\x80\x80"]
WIDER = [
    b"\xed\xa0\x80",
    b"\xf0\x9f\x8e",
    b"\xf4\x90\x80\x80",
    b"\xf0\x80\x80\x80",
    b"\xff",
    b"\xf5\x80\x80\x80",
    b"\xef\xbf\xbf",
]


@pytest.mark.parametrize("bit", [*ODD, *WIDE, *WIDER, b"\x00", b"\x1f", b"\x7f", b"\t", b"\x0b"], ids=repr)
def test_bits_of_strings_at_every_place_of_a_block(both_engines: Any, bit: bytes) -> None:
    """Within a string, as a name, and outside of any."""
    for inside in (b'"' + bit + b'"', b'{"' + bit + b'":1}', b'["a' + bit * 3 + b'"]', b"[1," + bit + b"]"):
        assert_alike(both_engines, inside)


def test_what_is_said_does_not_depend_on_the_place_in_a_block(both_engines: Any) -> None:
    """spec S6.2: names and texts with escapes, read at every place; the oracle is a parser that isn't ours."""
    words = 'a"\\/\b\n é文🎉'
    for event in (message(words, "", words, seq=5), attempt(words, "", words), chunk(words), packed(4, words, words)):
        for shown in (json.dumps(event, separators=(",", ":"), ensure_ascii=False), json.dumps(event)):
            for place in range(BLOCK):
                record = f'{{"pad":"{"x" * place}",{shown[1:]}'
                for engine in both_engines:
                    pushed, fed = engine.AssistantOutputFold(), engine.AssistantOutputFold()
                    pushed.push(json.loads(record))
                    fed.push_json(record)
                    assert fed.collect() == pushed.collect()
                    assert fed.text == pushed.text != ""
