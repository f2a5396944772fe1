"""Pickles that outlive releases (spec S10, S7): files written once, which stay as they are and are read for ever.

A new version of the form adds files of its own. See test_sharing.py for what a pickle is, and for version 1.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import lastsaid
from dsh_events import chunk, header, jsonl, message
from lastsaid import FoldBusyError, MalformedEventError, SessionNotFoundError, TurnNotFoundError
from ways import failure

STORED = Path(__file__).with_name("stored")


def stored(name: str) -> Any:
    return pickle.loads((STORED / f"{name}.pickle").read_bytes())


def restored(engine: ModuleType, name: str) -> Any:
    """The stored fold in this engine, whichever made it anew from the file."""
    return engine.AssistantOutputFold._from_pickle(stored(name).__reduce__()[1][0])


def test_line_that_was_pending_is_ended_by_what_comes(engine: ModuleType) -> None:
    """spec S5 feed, S10: copies and pickles carry the pending bytes."""
    fold = restored(engine, "fold-version-2-lines")
    assert fold.text == "a"
    with pytest.raises(FoldBusyError):
        fold.push_text("no")
    fold.feed(b'ent":[{"type":"text","text":"whole"}]}}}\n' + b'{"type":"turn/start"')
    said = fold.selection()
    assert (said.text, said.offset, said.line, said.index) == ("whole", len(jsonl(header(), chunk("a", seq=4))), 3, 2)
    fold.end()
    assert fold.selection().warnings == ("torn_tail",)


def test_event_that_was_pending_is_ended_by_what_comes(engine: ModuleType) -> None:
    """spec S5 framing, S10."""
    fold = restored(engine, "fold-version-2-sse")
    assert fold.selection().warnings == ("open_turn",)
    with pytest.raises(ValueError, match=r"^framing is 'lines', but bytes framed as 'sse' are pending"):
        fold.feed(b"{}\n")
    fold.feed(b'a: "data":{"chunk":{"type":"text-delta","text":"b"}}}\r\n\r\n', framing="sse")
    said = fold.selection()
    assert (said.text, said.line, said.index) == ("b", 4, 1)


def test_stream_that_was_torn_says_so_until_the_next(engine: ModuleType) -> None:
    """spec S5 feed."""
    fold = restored(engine, "fold-version-2-torn")
    assert (fold.text, fold.selection().warnings) == ("a", ("torn_tail",))
    fold.feed(jsonl(message("b")))
    assert (fold.text, fold.selection().warnings) == ("b", ())


@pytest.mark.parametrize("name", sorted(path.stem for path in STORED.glob("fold-*.pickle")))
def test_every_stored_fold_goes_on_in_both_engines(engine: ModuleType, name: str) -> None:
    """spec S10: engine-neutral; written again it is of the newest version."""
    fold = restored(engine, name)
    again = fold.__reduce__()[1][0]
    assert again == stored(name).__reduce__()[1][0]
    newest = engine.AssistantOutputFold().__reduce__()[1][0]
    assert (again["version"], list(again)) == (newest["version"], list(newest))
    assert type(pickle.loads(pickle.dumps(fold))) is lastsaid.AssistantOutputFold
    for _ in range(2):
        try:
            fold.end()
        except MalformedEventError:
            continue
        break
    before = fold.text
    fold.push(chunk("x"))
    assert fold.text in (before, before + "x")


def test_stored_errors_are_whole() -> None:
    """spec S7: they pickle."""
    missing, number, turn, session, busy = stored("errors")
    assert failure(missing) == {
        "class": "MalformedEventError",
        "message": "line 2, byte 1: data.chunk.text is missing, expected a string",
        "kind": "missing",
        "path": "data.chunk.text",
        "found": "missing",
        "expected": "a string",
        "index": None,
        "offset": 1,
        "line": 2,
    }
    assert (type(number), number.index, number.path) == (MalformedEventError, 1, "")
    assert (type(turn), turn.turn, turn.turns) == (TurnNotFoundError, 1, (2,))
    assert (type(session), session.session, session.sessions) == (SessionNotFoundError, "x", ())
    assert type(busy) is FoldBusyError
