"""Sessions don't see each other, and explaining changes nothing (spec S4, S9)."""

from __future__ import annotations

import json
from random import Random
from types import ModuleType
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from corpus_cases import records
from lastsaid import MalformedEventError, SessionNotFoundError
from strategies import any_event, any_lists, any_logs, child_starts, enveloped, is_json, logs, read_options
from ways import Dribble, answer, canonical, outcome

notifications = st.one_of(enveloped(any_event, st.sampled_from(["s1", "s2", "s3", "", 3])), any_event, child_starts)
family_logs = logs(notifications, damage=True)
all_logs = st.one_of(any_logs, family_logs)
EXPLAINED = ("counts", "candidates")


def without(found: dict[str, Any], *names: str) -> dict[str, Any]:
    """An outcome without some of what it says."""
    if "answer" not in found:
        return found
    said = {key: value for key, value in found["answer"].items() if key not in names}
    if said["earlierText"]:
        said["earlierText"] = {key: value for key, value in said["earlierText"].items() if key not in names}
    return {"answer": said}


@given(log=all_logs, options=read_options, session=st.sampled_from([None, None, "s1", "s2"]))
def test_explaining_a_log_never_changes_its_answer(
    engine: ModuleType, log: bytes, options: dict[str, Any], session: str | None
) -> None:
    """spec S9 counts."""
    plain = outcome(lambda: engine.read_bytes(log, session=session, **options))
    explained = outcome(lambda: engine.read_bytes(log, session=session, explain=True, **options))
    assert canonical(without(explained, "line", *EXPLAINED)) == canonical(without(plain, "line", *EXPLAINED))
    streamed = outcome(lambda: engine.read(Dribble(log, 7), session=session, explain=True, **options))
    assert canonical(streamed) == canonical(explained)


@given(events=any_lists, start=st.integers(-5, 8))
def test_explaining_a_list_never_changes_its_answer(engine: ModuleType, events: list[Any], start: int) -> None:
    """spec S9 counts."""
    plain = outcome(lambda: engine.select(events, start))
    for form in (events, tuple(events), iter(events)):
        explained = outcome(lambda form=form: engine.select(form, start, explain=True))
        assert canonical(without(explained, *EXPLAINED)) == canonical(without(plain, *EXPLAINED))


@given(log=all_logs, options=read_options)
def test_what_is_explained_adds_up(engine: ModuleType, log: bytes, options: dict[str, Any]) -> None:
    """spec S9 counts 2, S9 candidates."""
    try:
        said = engine.read_bytes(log, explain=True, **(options | {"on_malformed": "skip"}))
    except (LookupError, MalformedEventError):
        return
    counts, candidates = said.counts, said.candidates
    verdicts = [one["verdict"] for one in candidates]
    assert (verdicts[:1] == ["won"]) == bool(said)
    assert counts["messages"] == verdicts.count("lost") + (said.source == "message")
    assert counts["emptyMessages"] == verdicts.count("empty")
    assert counts["malformed"] == verdicts.count("malformed")
    assert ("unused" in verdicts or said.source == "stream") == (counts["streams"] > 0)
    assert counts["records"] >= counts["suffixRecords"] >= counts["messages"] + counts["malformed"]
    assert (counts["suffixOffset"] is None) == (counts["suffixRecords"] == 0)
    if said:
        winner = candidates[0]
        place = ("offset", "line", "seq", "messageId")
        assert [winner[key] for key in place] == [said.to_dict()[key] for key in place]
        if said.source == "message":
            assert (winner["characters"], winner["preview"]) == (len(said.text), said.text[:80])
    rest = [one["offset"] for one in candidates[1:]]
    assert rest == sorted(rest, reverse=True)


@given(log=all_logs, options=st.sampled_from([{}, {"suffix": "whole"}]), malformed=st.sampled_from(["raise", "skip"]))
def test_a_session_of_many_is_read_as_if_it_were_asked_for(
    engine: ModuleType, log: bytes, options: dict[str, Any], malformed: str
) -> None:
    """spec S4 Sessions of a log, S5 session."""
    options = options | {"on_malformed": malformed, "explain": True}
    ids = set()
    found = outcome(lambda: ids.update(engine.read_sessions(log, **options)))
    if "error" in found:
        return
    sessions = engine.read_sessions(log, **options)
    assert list(sessions) == list(engine.read_sessions(Dribble(log, 5), **options))
    for session, said in sessions.items():
        assert canonical(answer(said)) == canonical(answer(engine.read_bytes(log, session=session, **options)))
    only = outcome(lambda: engine.read_bytes(log, **options))
    if len(sessions) == 1:
        assert canonical(only) == canonical({"answer": answer(next(iter(sessions.values())))})
    elif "error" in only:
        assert only["error"]["class"] == SessionNotFoundError.__name__


@given(
    log=family_logs,
    strange=st.lists(enveloped(any_event.filter(lambda event: isinstance(event, dict)), st.just("s9")), max_size=4),
    options=read_options.filter(lambda options: "start" not in options),
    session=st.sampled_from(["s1", "s2"]),
    rng=st.randoms(use_true_random=False),
)
def test_sessions_do_not_see_each_other(
    engine: ModuleType, log: bytes, strange: list[Any], options: dict[str, Any], session: str, rng: Random
) -> None:
    """spec S4 Sessions of a log.

    Only places and `start` count the records of the others. The first line is always examined, so it stays.
    """
    lines = records(log)
    mixed = list(lines)
    for event in filter(is_json, strange):
        mixed.insert(rng.randrange(1, len(mixed) + 1) if mixed else 0, json.dumps(event).encode())

    def read(lines: list[bytes]) -> dict[str, Any]:
        found = outcome(lambda: engine.read_bytes(b"\n".join([*lines, b""]), session=session, **options))
        for key in ("offset", "line", "message", "sessions"):
            found.get("error", {}).pop(key, None)
        return without(found, "offset", "line")

    if lines:
        assert canonical(read(mixed)) == canonical(read(lines))
