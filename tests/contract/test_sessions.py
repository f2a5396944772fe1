"""Logs of several sessions: which there are, whose a record is, where a run begins, which is picked (spec S4, S5)."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from dsh_events import chunk, end_seed, header, headless, jsonl, message, notification, turn_end, turn_start
from lastsaid import MalformedEventError, Selection, SelectionWarning, SessionNotFoundError, TurnNotFoundError
from ways import Dribble, answer

BAD = b'{"type":"assistant/message","data":3}'


def started(child: Any, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "subagent.started", "params": {"parentSessionId": "p", "childSessionId": child}}


def status(note: str = "turn/end") -> dict[str, Any]:
    """A notification that names no session and is examined."""
    return {"jsonrpc": "2.0", "method": "session.status", "params": {"sessionId": "s9", "note": note}}


def said(text: str, session: Any, **more: Any) -> dict[str, Any]:
    return notification(message(text, **more), session)


def ways(engine: ModuleType, log: bytes) -> list[Callable[..., Selection]]:
    return [
        lambda **options: engine.read_bytes(log, **options),
        lambda **options: engine.read(io.BytesIO(log), **options),
        lambda **options: engine.read(Dribble(log), **options),
    ]


def text(engine: ModuleType, log: bytes, **options: Any) -> str:
    """What every way says, which is the same."""
    answers = [answer(way(**options), "line") for way in ways(engine, log)]
    assert answers[0] == answers[1] == answers[2]
    return answers[0]["text"]


def texts(engine: ModuleType, log: bytes, **options: Any) -> dict[str, str]:
    return {session: one.text for session, one in engine.read_sessions(log, **options).items()}


def missing(engine: ModuleType, log: bytes, **options: Any) -> SessionNotFoundError:
    errors = []
    for way in ways(engine, log):
        with pytest.raises(SessionNotFoundError) as caught:
            way(**options)
        errors.append(caught.value)
    assert {str(error) for error in errors} == {str(errors[0])}
    return errors[0]


FAMILY = jsonl(
    notification(turn_start(), "root"),
    said("old", "root"),
    started("a"),
    said("from a", "a"),
    status(),
    started("b"),
    notification(chunk("b streams"), "b"),
    said("from root", "root"),
)


# --- which session


def test_the_session_that_is_nobodys_child_is_read(engine: ModuleType) -> None:
    """spec S5 session."""
    assert text(engine, FAMILY) == text(engine, FAMILY, session="root") == "from root"


def test_each_session_is_read_from_its_records_alone(engine: ModuleType) -> None:
    """spec S4 Sessions of a log."""
    assert text(engine, FAMILY, session="a") == "from a"
    assert text(engine, FAMILY, session="b") == "b streams"
    assert texts(engine, FAMILY) == {"root": "from root", "a": "from a", "b": "b streams"}
    assert list(engine.read_sessions(io.BytesIO(FAMILY))) == ["root", "a", "b"]
    for session, one in engine.read_sessions(FAMILY).items():
        assert answer(one) == answer(engine.read_bytes(FAMILY, session=session))


def test_notifications_are_read_from_the_start_so_lines_are_known(engine: ModuleType) -> None:
    """spec S9 line."""
    one = engine.read_bytes(FAMILY, session="a")
    assert (one.index, one.offset, one.line) == (None, FAMILY.index(b'{"jsonrpc"', FAMILY.index(b"started")), 4)


def test_an_only_session_needs_no_name_and_may_be_a_child(engine: ModuleType) -> None:
    """spec S5 session."""
    assert text(engine, jsonl(started("a"), said("x", "a"))) == "x"
    assert text(engine, jsonl(headless(message("x"), ""))) == "x"


def test_several_sessions_none_of_which_stands_out_must_be_named(engine: ModuleType) -> None:
    """spec S5 session."""
    error = missing(engine, jsonl(said("x", "a"), said("y", "b\n"), started("c")))
    assert (error.session, error.sessions) == (None, ("a", "b\n", "c"))
    assert str(error) == (r'the log holds several sessions and nobody said which; its sessions are "a", "b\n", "c"')
    assert isinstance(error, LookupError)
    copied = pickle.loads(pickle.dumps(error))
    assert (str(copied), copied.sessions) == (str(error), error.sessions)
    assert missing(engine, jsonl(said("x", "a"), started("a"), started("b"))).session is None


def test_a_session_that_is_not_there_is_an_error_that_lists_the_ids(engine: ModuleType) -> None:
    """spec S5 session."""
    assert str(missing(engine, FAMILY, session="s9")) == (
        'session "s9" is not in the log; its sessions are "root", "a", "b"'
    )
    assert str(missing(engine, b"", session="x")) == 'session "x" is not in the log; it names no sessions'
    many = missing(engine, jsonl(*(said("x", f"{i}") for i in range(21))))
    assert str(many).endswith('"18", "19", …')
    assert len(many.sessions) == 21


def test_session_is_a_str(engine: ModuleType) -> None:
    with pytest.raises(TypeError, match=r"^session takes a str, not int$"):
        engine.read_bytes(FAMILY, session=3)


# --- what holds notifications


def test_a_log_without_notifications_has_the_session_of_its_header(engine: ModuleType) -> None:
    """spec S5 session."""
    log = jsonl(header(id="h"), message("x"))
    assert texts(engine, log) == {"h": "x"}
    assert text(engine, log, session="h") == text(engine, log) == "x"
    assert str(missing(engine, log, session="x")) == 'session "x" is not in the log; it names no sessions'
    assert texts(engine, jsonl(header(id=3), message("x"))) == {"": "x"}
    assert texts(engine, jsonl(message("x"), header(id="late"))) == {"": "x"}
    assert text(engine, jsonl(message("x")), session="") == "x"
    assert texts(engine, b"") == {"": ""}


def test_a_log_that_begins_bare_is_one_fold_unless_another_session_is_asked_for(engine: ModuleType) -> None:
    enveloped = jsonl(header(id="h", version=0, seedLength=9), said("x", "a", seq=1), said("y", "b", seq=2))
    log = enveloped + jsonl(message("z"))
    assert text(engine, log, suffix="whole") == "z"
    for way in ways(engine, enveloped):
        with pytest.raises(MalformedEventError, match=r'"b", expected "a" \(one fold is one session\)$'):
            way(suffix="whole")
    # Notifications have no seed length, and bare records belong to every session.
    assert text(engine, enveloped, session="a") == "x"
    assert text(engine, log, session="a") == text(engine, log, session="b") == "z"


@pytest.mark.parametrize("first", [status("x"), {"method": "subagent.started"}, {}, {"type": 3}])
def test_a_first_record_without_a_type_makes_a_log_hold_notifications(engine: ModuleType, first: Any) -> None:
    """spec S4 Sessions of a log."""
    assert texts(engine, jsonl(first, said("x", "a"), said("y", "b"))) == {"a": "x", "b": "y"}
    assert texts(engine, jsonl(first, message("x"))) == {"": "x"}
    assert text(engine, jsonl(first, message("x"))) == text(engine, jsonl(first, message("x")), session="") == "x"


def test_the_first_record_that_can_be_read_decides(engine: ModuleType) -> None:
    """spec S4 Sessions of a log."""
    bad = (
        b"3",
        b"no JSON turn/end",
        {"method": "session.event", "params": {"sessionId": "c", "event": 3}, "x": "turn/end"},
    )
    log = jsonl(*bad, said("x", "a"), said("y", "b"))
    assert texts(engine, log) == {"a": "x", "b": "y"}
    assert text(engine, log, session="b") == "y"
    with pytest.raises(MalformedEventError, match=r"^line 3, byte 19: params\.event is a number"):
        texts(engine, jsonl(*bad, notification(chunk("x"), "a")))
    skipped = engine.read_sessions(jsonl(*bad, notification(chunk("x"), "a"), b"turn/end"), on_malformed="skip")
    assert (skipped["a"].text, skipped["a"].warnings) == ("x", (SelectionWarning.MALFORMED_SKIPPED,))
    assert texts(engine, jsonl(*bad), on_malformed="skip") == {"": ""}


# --- whose a record is


def test_records_that_name_no_session_belong_to_every_one_also_to_later_ones(engine: ModuleType) -> None:
    """spec S4 Sessions of a log."""
    log = jsonl(notification(chunk("1"), "a"), chunk("2"), notification(chunk("3"), 7), notification(chunk("4"), "b"))
    log += jsonl(chunk("5"))
    assert texts(engine, log) == {"a": "1235", "b": "2345"}
    assert text(engine, log, session="b") == "2345"


def test_damage_that_names_no_session_is_everybodys(engine: ModuleType) -> None:
    """spec S4 Sessions of a log."""
    log = jsonl(said("x", "a"), BAD, said("y", "b"))
    assert text(engine, log, session="b") == "y"
    for read in (lambda: engine.read_bytes(log, session="a"), lambda: engine.read_sessions(log)):
        with pytest.raises(MalformedEventError, match=r"^line 2, byte .*: data is a number"):
            read()
    skipped = engine.read_sessions(log, on_malformed="skip")
    assert [(one.text, len(one.warnings)) for one in skipped.values()] == [("x", 1), ("y", 0)]


def test_damage_of_another_session_is_not_met(engine: ModuleType) -> None:
    """spec S4 Sessions of a log."""
    bad = notification({"type": "assistant/message", "data": 3}, "b")
    assert text(engine, jsonl(said("x", "a"), bad), session="a") == "x"
    for way in ways(engine, jsonl(said("x", "a"), bad)):
        with pytest.raises(MalformedEventError, match=r"^line 2, byte .*: params\.event\.data is a number"):
            way(session="b")


def test_unrecognised_and_empty_suffix_are_said_of_the_session(engine: ModuleType) -> None:
    log = jsonl(said("x", "a"), notification(end_seed(), "a"), said("y", "b"))
    assert engine.read_bytes(log, session="a").warnings == (SelectionWarning.EMPTY_SUFFIX,)
    assert engine.read_bytes(jsonl({"method": "assistant/x"})).warnings == (SelectionWarning.UNRECOGNISED,)


# --- where a run begins


def test_a_childs_run_begins_where_it_was_last_started(engine: ModuleType) -> None:
    """spec S4 Where a run's suffix starts."""
    log = jsonl(said("copied", "a"), started("a"), notification(turn_end(), "a"), said("p", "p"))
    one = engine.read_bytes(log, session="a")
    assert (one.source, one.completeness) == ("none", "complete")
    assert one.warnings == (SelectionWarning.EMPTY_SUFFIX,)
    assert text(engine, log, session="a", suffix="whole") == "copied"
    assert text(engine, log + jsonl(said("own", "a"), started("a"), said("again", "a")), session="a") == "again"
    # What began for another session, or for nobody, cuts nothing.
    assert text(engine, jsonl(said("x", "a"), started("b"), started(3)), session="a") == "x"


def test_a_seed_marker_cuts_its_own_session_and_the_later_cut_wins(engine: ModuleType) -> None:
    """spec S4 Where a run's suffix starts."""
    log = jsonl(said("x", "a"), said("y", "b"), notification(end_seed(), "a"), notification(chunk("z"), "a"))
    assert texts(engine, log) == {"a": "z", "b": "y"}
    assert text(engine, log + jsonl(started("a"), notification(chunk("2"), "a")), session="a") == "2"
    assert texts(engine, log, suffix="whole") == {"a": "x", "b": "y"}


# --- start, turn, since_seq


def test_start_counts_the_records_of_all_sessions(engine: ModuleType) -> None:
    """spec S5 session."""
    log = jsonl(said("1", "a"), started("a"), said("2", "b"), said("3", "a"), said("4", "b"))
    assert text(engine, log, session="a", start=3) == "3"
    for start in (4, -1):
        one = engine.read_bytes(log, session="a", start=start)
        assert (one.source, one.warnings) == ("none", (SelectionWarning.EMPTY_SUFFIX,))
    assert text(engine, log, session="b", start=-3) == "4"
    # Sessions are those of the whole log, and `a` is b's child or its own.
    assert text(engine, log, start=4) == "4"


def test_turn_and_since_seq_look_at_the_session(engine: ModuleType) -> None:
    """spec S5 session."""
    log = jsonl(
        notification(turn_start(1), "a"),
        notification(turn_start(2), "b"),
        said("1", "a", seq=1),
        said("2", "b", seq=9),
        notification(chunk("3", seq=5), "b"),
    )
    assert text(engine, log, session="a", turn=1) == text(engine, log, session="a", turn=-1) == "1"
    assert text(engine, log, session="b", since_seq=3) == "2"
    with pytest.raises(TurnNotFoundError, match=r"its turns are 1$"):
        engine.read_bytes(log, session="a", turn=2)
