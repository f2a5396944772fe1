"""Bytes as they come: `feed`, `end`, both framings, what is pending (spec S5, S7)."""

from __future__ import annotations

import copy
import pickle
from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, chunk, headless, jsonl, message, turn_end, turn_start
from lastsaid import FoldBusyError, MalformedEventError, SelectionWarning

LOG = jsonl(turn_start(), chunk("a", seq=1), b" \t", message("said", id="m1", seq=2), turn_end())
PENDING = "bytes of an unfinished record are pending; call end() first"


def fed(engine: ModuleType, *chunks: Any, framing: str = "lines") -> Any:
    fold = engine.AssistantOutputFold()
    for one in chunks:
        fold.feed(one, framing=framing)
    return fold


def feeding(fold: Any) -> Any:
    return fold.__reduce__()[1][0]["feeding"]


def place(fold: Any) -> tuple[Any, ...]:
    said = fold.selection()
    return said.text, said.index, said.offset, said.line, said.seq


def sse(*events: bytes, end: bytes = b"\n") -> bytes:
    return b"".join(b"data: " + event + end + end for event in events)


# --- lines


@pytest.mark.parametrize("step", [1, 2, 7, 1000])
def test_chunks_may_end_anywhere(engine: ModuleType, step: int) -> None:
    """spec S5 feed."""
    fold = fed(engine, *(LOG[at : at + step] for at in range(0, len(LOG), step)))
    assert place(fold) == ("said", 2, LOG.index(b'{"type": "assistant/message'), 4, 2)
    assert fold.selection().completeness == "complete"
    fold.end()
    assert fold.selection().warnings == ()


def test_a_record_counts_when_its_line_ends(engine: ModuleType) -> None:
    """spec S5 feed."""
    fold = fed(engine, jsonl(chunk("a")) + jsonl(chunk("b"))[:-1])
    assert fold.text == "a"
    fold.feed(b"\n")
    assert fold.text == "ab"
    fold.feed(jsonl(message("said"))[:-1])
    assert fold.collect() == [{"type": "text", "text": "ab"}]
    fold.end()
    assert fold.text == "said"


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_every_bytes_like_object_is_fed(engine: ModuleType, kind: type) -> None:
    assert fed(engine, kind(LOG[:30]), b"", kind(LOG[30:])).text == "said"


def test_text_is_fed_as_its_utf8(engine: ModuleType) -> None:
    log = '{"type":"assistant/chunk","data":{"chunk":{"type":"text-delta","text":"é😀"}}}\n'
    fold = fed(engine, log, log[:60], log[60:])
    assert place(fold) == ("é😀é😀", 0, 0, 1, None)


def test_all_records_of_a_stream_count_and_only_candidates_are_read(engine: ModuleType) -> None:
    """spec S5 feed, S7 Candidates: the first record is always one; blank lines are none."""
    fold = fed(engine, b'{"type":"session"}\n\n  \r\nno JSON\n{"type":"x/y"}\n' + jsonl(message("said")))
    assert place(fold)[1:4] == (3, 47, 6)
    fold.push(message("later"))
    assert fold.selection().index == 4
    with pytest.raises(MalformedEventError, match=r"^line 2, byte 1: the record is not JSON"):
        fed(engine, b"\nno JSON\n")


def test_a_byte_order_mark_is_passed_over_at_the_start_of_a_stream(engine: ModuleType) -> None:
    """spec S5 feed."""
    marked = b"\xef\xbb\xbf" + jsonl(message("a"))
    for step in (1, 2, 1000):
        fold = fed(engine, *(marked[at : at + step] for at in range(0, len(marked), step)))
        assert place(fold) == ("a", 0, 3, 1, None)
    with pytest.raises(MalformedEventError, match=r"line 2, byte .*: the record is preceded by a byte order mark"):
        fold.feed(marked)
    fold.end()
    fold.feed(marked)
    assert place(fold) == ("a", 2, 3, 1, None)


def test_the_beginning_of_a_byte_order_mark_is_pending(engine: ModuleType) -> None:
    fold = fed(engine, b"\xef\xbb")
    assert feeding(fold)["pending"] == b"\xef\xbb"
    with pytest.raises(FoldBusyError):
        fold.push_text("a")
    fold.end()
    assert fold.selection().warnings == (SelectionWarning.TORN_TAIL,)


# --- the end


def test_a_torn_tail_is_a_warning_until_the_next_stream(engine: ModuleType) -> None:
    """spec S5 feed, S7 Torn tail."""
    fold = fed(engine, LOG + b'{"type":"assistant/me')
    assert fold.selection().warnings == ()
    fold.end()
    assert (fold.text, fold.selection().warnings) == ("said", (SelectionWarning.TORN_TAIL,))
    fold.end()
    assert fold.selection().warnings == (SelectionWarning.TORN_TAIL,)
    assert copy.copy(fold).selection().warnings == (SelectionWarning.TORN_TAIL,)
    fold.feed(b"")
    assert fold.selection().warnings == ()


@pytest.mark.parametrize("tail", [b"", b"\0\0\0", b"  ", b" \0"])
def test_padding_and_blanks_at_the_end_are_no_tail(engine: ModuleType, tail: bytes) -> None:
    fold = fed(engine, LOG, tail)
    fold.end()
    assert (fold.text, fold.selection().warnings, feeding(fold)) == ("said", (), None)


def test_a_tail_that_is_whole_counts(engine: ModuleType) -> None:
    fold = fed(engine, LOG, jsonl(message("tail"))[:-1], b"\0" * 5)
    fold.end()
    assert place(fold) == ("tail", 4, len(LOG), 6, None)
    fold = fed(engine, LOG, b"3\0")
    with pytest.raises(MalformedEventError, match=rf"^line 6, byte {len(LOG)}: the record is a number"):
        fold.end()
    assert feeding(fold) is None


def test_the_stream_after_an_end_begins_anew(engine: ModuleType) -> None:
    """spec S5 feed."""
    fold = fed(engine, LOG)
    fold.end()
    with pytest.raises(MalformedEventError, match=r"^line 1, byte 0: the record is not JSON"):
        fold.feed(b"no JSON\n" + jsonl(message("b")))
    fold.feed(b"")
    assert place(fold) == ("b", 5, 8, 2, None)
    engine.AssistantOutputFold().end()


# --- bad records


def test_after_a_bad_record_the_next_call_goes_on(engine: ModuleType) -> None:
    """spec S5 feed."""
    bad = b'{"type":"assistant/message","data":3}'
    log = jsonl(chunk("a"), bad, chunk("b"), bad, message("c"))
    fold = engine.AssistantOutputFold()
    with pytest.raises(MalformedEventError) as caught:
        fold.feed(log)
    at = log.index(bad)
    assert (caught.value.offset, caught.value.line, caught.value.index) == (at, 2, None)
    assert str(caught.value) == f"line 2, byte {at}: data is a number, expected an object"
    assert fold.text == "a"
    assert feeding(fold)["pending"] == log[at + len(bad) + 1 :]
    with pytest.raises(FoldBusyError, match=PENDING.replace("()", r"\(\)")):
        fold.push(chunk("x"))
    with pytest.raises(MalformedEventError, match=r"^line 4, "):
        fold.feed(b"")
    assert fold.text == "ab"
    fold.end()
    assert place(fold)[:2] == ("c", 4)
    fold.push(message("d"))


def test_end_raises_for_a_whole_record_that_is_bad_and_goes_on(engine: ModuleType) -> None:
    bad = b'"turn/end"'
    fold = engine.AssistantOutputFold()
    with pytest.raises(MalformedEventError, match=r"^line 1, "):
        fold.feed(jsonl(bad, bad, chunk("a"), bad))
    with pytest.raises(MalformedEventError, match=r"^line 2, "):
        fold.end()
    with pytest.raises(MalformedEventError, match=r"^line 4, "):
        fold.end()
    # Nothing was left, so the stream has ended.
    assert (fold.text, feeding(fold)) == ("a", None)


def test_records_of_another_session_are_passed_over_and_raised(engine: ModuleType) -> None:
    fold = fed(engine, jsonl(headless(chunk("a"))))
    with pytest.raises(MalformedEventError, match=r'line 2, .*sessionId is "s2", expected "s1"'):
        fold.feed(jsonl(headless(chunk("x"), "s2"), headless(chunk("b"))))
    fold.feed(b"")
    assert fold.text == "ab"


def test_streams_are_not_read_after_a_message(engine: ModuleType) -> None:
    """spec S7: a record is read when the fold would read it, as with push."""
    fold = fed(engine, jsonl(message("said"), {"type": "assistant/attempt", "data": {"stream": 3}}))
    assert fold.text == "said"


def test_a_record_over_the_limit_is_too_large_when_it_is_read(engine: ModuleType) -> None:
    """spec S7.17: 256 MiB, of which no more is kept."""
    fold = fed(engine, b"{}\n", b"assistant/", *(bytes(1 << 24) for _ in range(16)))
    sentence = "the record is 268435466 bytes long, expected at most 268435456 (see max_record_bytes)"
    with pytest.raises(MalformedEventError) as caught:
        fold.feed(b"\n")
    assert (caught.value.kind, str(caught.value)) == ("too_large", f"line 2, byte 3: {sentence}")
    fold.push_text("a")
    assert fold.selection().index == 2


# --- misuse, copies


def test_wrong_arguments_say_so_and_change_nothing(engine: ModuleType) -> None:
    fold = fed(engine, LOG, b'{"type"')
    before = repr(fold.__reduce__())
    with pytest.raises(TypeError, match=r"^feed takes bytes, bytearray, memoryview or str, not int$"):
        fold.feed(3)
    with pytest.raises(ValueError, match=r"^framing is 'x', expected 'lines' or 'sse'$"):
        fold.feed(b"", framing="x")
    with pytest.raises(
        ValueError,
        match=r"^framing is 'sse', but bytes framed as 'lines' are pending; call end\(\) first$",
    ):
        fold.feed(b"", framing="sse")
    with pytest.raises(MalformedEventError, match=r"^the record is a string with an unpaired surrogate"):
        fold.feed("\ud800")
    for call in (
        *(lambda: fold.push(chunk("x")), lambda: fold.push_text("x"), lambda: fold.push_json(b"{}")),
        *(lambda: fold.extend([]), lambda: fold.extend_text([]), lambda: fold.extend_json([])),
        *(lambda: fold.merge(engine.AssistantOutputFold()), lambda: engine.AssistantOutputFold().merge(fold)),
        lambda: fold.merge(fold),
    ):
        with pytest.raises(FoldBusyError) as caught:
            call()
        assert str(caught.value) == PENDING
    assert repr(fold.__reduce__()) == before


def test_framing_may_change_between_records(engine: ModuleType) -> None:
    """spec S5 framing."""
    fold = fed(engine, jsonl(chunk("a")))
    fold.feed(sse(jsonl(chunk("b")).strip(), end=b"\r\n"), framing="sse")
    fold.feed(jsonl(chunk("c")))
    assert fold.text == "abc"


@pytest.mark.parametrize("framing", ["lines", "sse"])
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda fold: pickle.loads(pickle.dumps(fold))])
def test_copies_and_pickles_carry_what_is_pending(engine: ModuleType, framing: str, copied: Any) -> None:
    """spec S5 feed, S10."""
    record = jsonl(message("said", seq=4)).strip()
    stream = sse(record) if framing == "sse" else b"\n" + record + b"\n"
    for cut in range(len(stream)):
        fold = fed(engine, stream[:cut], framing=framing)
        other = copied(fold)
        assert feeding(other) == feeding(fold)
        other.feed(stream[cut:], framing=framing)
        assert place(other) == ("said", 0, 0 if framing == "sse" else 1, 1 if framing == "sse" else 2, 4)
        assert fold.collect() is None


def test_the_form_of_a_pickle_in_the_middle_of_a_record(engine: ModuleType) -> None:
    """spec S10: both engines write the same."""
    unfed = {"framing": "lines", "pending": b"", "records": 1, "torn": False}
    rest = {"head": b"", "head_offset": 0, "after_cr": False}
    record = (20, 2, b" turn/en\0", 9, 8, False, b" turn/en\0", False)
    fold = fed(engine, b'{"type":"session"} \n turn/en\0')
    assert feeding(fold) == unfed | {"offset": 29, "line": 2, "record": record} | rest
    fold = fed(engine, b'data: {"type":"session"}\n\ndata: turn/end\r', framing="sse")
    record = (26, 3, b"turn/end", 8, 8, True, b"", False)
    rest |= {"framing": "sse", "after_cr": True}
    assert feeding(fold) == unfed | {"offset": 41, "line": 4, "record": record} | rest


def test_a_merged_fold_stands_where_the_later_stream_stood(engine: ModuleType) -> None:
    first, second = fed(engine, jsonl(chunk("a"), attempt("b"))), fed(engine, jsonl(chunk("c")))
    assert feeding(first.merge(engine.AssistantOutputFold())) == feeding(first)
    assert feeding(engine.AssistantOutputFold().merge(first)) == feeding(first)
    assert feeding(first.merge(second)) == feeding(second)
    assert first.merge(second).text == "abc"
