"""Nothing stays behind: references to what was pushed, and memory over many folds."""

from __future__ import annotations

import contextlib
import copy
import gc
import io
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dsh_events import attempt, chunk, header, headless, jsonl, message, reasoning, turn_end
from lastsaid import MalformedEventError
from ways import Dribble

# Of the event and its parts, so that every reference shows.
PARTS: list[Callable[[Any], Any]] = [
    lambda event: event,
    lambda event: event["data"],
    lambda event: event["data"]["message"],
    lambda event: event["data"]["message"]["content"],
    lambda event: event["data"]["message"]["content"][0],
    lambda event: event["data"]["message"]["id"],
]


def references(event: Any) -> list[int]:
    gc.collect()
    return [sys.getrefcount(part(event)) for part in PARTS]


def an_event(words: str) -> Any:
    # A string of its own: those that are shared have other references.
    return message(words, reasoning(words), id="".join(["id of ", words]))


def uses(engine: ModuleType) -> dict[str, Callable[[Any], Any]]:
    """What is done with an event, whose results are dropped."""

    def folded(use: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def run(event: Any) -> None:
            fold = engine.AssistantOutputFold()
            fold.push(event)
            use(fold)

        return run

    def failing(event: Any) -> None:
        fold = engine.AssistantOutputFold()
        for bad in ({**event, "data": 3}, headless({**event, "data": None}), [event]):
            with pytest.raises(MalformedEventError):
                fold.extend([event, bad])
            with pytest.raises(MalformedEventError):
                engine.select([event, bad])

    return {
        "push": folded(lambda fold: None),
        "collect": folded(lambda fold: [fold.collect() for _ in range(5)]),
        "selection": folded(lambda fold: [fold.selection().to_dict() for _ in range(5)]),
        "replaced": folded(lambda fold: fold.push(message("later"))),
        "textless": folded(lambda fold: [fold.push(message(reasoning("hm"))), fold.selection()]),
        "merge": folded(lambda fold: fold.merge(fold).merge(engine.AssistantOutputFold())),
        "copies": folded(lambda fold: [copy.copy(fold), copy.deepcopy(fold), pickle.loads(pickle.dumps(fold))]),
        "reduce": folded(lambda fold: engine.AssistantOutputFold._from_pickle(fold.__reduce__()[1][0])),
        "extend": lambda event: engine.AssistantOutputFold().extend([event, event]),
        "select": lambda event: engine.select([header(), event, turn_end()]),
        "select of an iterator": lambda event: engine.select(iter([header(), event, event])),
        "final_assistant_output": lambda event: engine.final_assistant_output([event, event]),
        "suffix_start": lambda event: engine.suffix_start([event]),
        "enveloped": lambda event: engine.select([headless(event)]),
        "failing": failing,
    }


@pytest.mark.parametrize("use", sorted(uses(None)))  # type: ignore[arg-type]
def test_no_reference_to_an_event_stays_behind(engine: ModuleType, use: str) -> None:
    event = an_event("words")
    run = uses(engine)[use]
    run(event)
    before = references(event)
    for _ in range(20):
        run(event)
    assert references(event) == before


def test_kept_content_is_one_reference_and_is_given_back(engine: ModuleType) -> None:
    """spec S10: borrowed, so one reference a fold that holds it."""
    event = an_event("held")
    content = event["data"]["message"]["content"]
    before = sys.getrefcount(content)
    folds = []
    for _ in range(10):
        folds.append(engine.AssistantOutputFold())
        folds[-1].push(event)
    gc.collect()
    assert sys.getrefcount(content) == before + 10
    folds.clear()
    gc.collect()
    assert sys.getrefcount(content) == before


def test_fold_in_a_cycle_is_collected(engine: ModuleType) -> None:
    """A fold whose content leads back to it: the collector sees through it, or the cycle is broken by hand."""

    class Blocks(list[Any]):
        pass

    event = message("x")
    content = event["data"]["message"]["content"] = Blocks([{"type": "text", "text": "x"}])
    fold = engine.AssistantOutputFold()
    fold.push(event)
    before = sys.getrefcount(fold)
    content.append({"type": "mine", "fold": fold})
    assert sys.getrefcount(fold) == before + 1
    content.pop()
    gc.collect()
    assert sys.getrefcount(fold) == before


# --- memory


def resident() -> int:
    """Bytes of this process that are in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc to read the memory from")
# A leak of eight bytes a fold shows in a million of them.
MOST_GROWTH = 4 << 20


def assert_flat(run: Callable[[], Any], *, batches: int, size: int) -> None:
    """After the first two batches, which fill caches, no more memory is in use."""

    def batch() -> None:
        for _ in range(size):
            run()
        gc.collect()

    batch()
    batch()
    before, blocks = resident(), sys.getallocatedblocks()
    for _ in range(batches - 2):
        batch()
    assert resident() - before < MOST_GROWTH
    assert sys.getallocatedblocks() - blocks < 2000


@needs_proc
def test_a_million_folds_leave_no_memory_behind(engine: ModuleType) -> None:
    """The pure engine is slower, so there it is a tenth; a leak of a word a fold would be seen too."""
    event = chunk("a piece of text")

    def run() -> None:
        fold = engine.AssistantOutputFold()
        fold.push(event)
        fold.collect()

    assert_flat(run, batches=20, size=50_000 if engine.ENGINE == "rust" else 5_000)


@needs_proc
def test_everything_a_fold_can_do_leaves_no_memory_behind(engine: ModuleType) -> None:
    events = [header(), attempt("a", "b"), message("said", id="m"), message(reasoning("hm")), turn_end()]
    log = jsonl(*events)
    bad = b'{"type":"assistant/message","data":{"message":{"content":[1e999]}}}'

    def run() -> None:
        fold = engine.AssistantOutputFold()
        fold.extend(events)
        fold.extend_json(log)
        for broken in (bad, b"{", b"\xff"):
            try:
                fold.push_json(broken)
            except MalformedEventError as error:
                str(error)
        fold.feed(log[:100])
        fold.feed(log[100:])
        fold.end()
        fold.selection().to_dict()
        fold.merge(fold).collect()
        copy.deepcopy(fold)
        engine.AssistantOutputFold._from_pickle(fold.__reduce__()[1][0])

    assert_flat(run, batches=10, size=2_000 if engine.ENGINE == "rust" else 150)


@needs_proc
def test_reading_leaves_no_memory_and_no_file_behind(engine: ModuleType, log_path: Path) -> None:
    log = jsonl(header(), attempt("a" * 500), message("said"), turn_end())
    log_path.write_bytes(log)

    def run() -> None:
        engine.read(log_path)
        engine.read_bytes(log, suffix="whole")
        engine.read(io.BytesIO(log), start=0)
        engine.read(Dribble(log, 4096))
        with contextlib.suppress(MalformedEventError):
            engine.read_bytes(b'{"type":"assistant/message"}\n')

    open_files = len(os.listdir("/proc/self/fd"))
    assert_flat(run, batches=10, size=1_000 if engine.ENGINE == "rust" else 200)
    assert len(os.listdir("/proc/self/fd")) == open_files
