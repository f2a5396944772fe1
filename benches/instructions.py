"""The work whose instructions tools/bench_check.py counts; times are no concern here.

`python benches/instructions.py prepare FOLDER` writes logs and events. `… run FOLDER`, under callgrind,
does each piece of work n and 2n times between marks, and prints the names and the n as JSON. The difference
between the two, divided by n, is what one takes: the start of the interpreter and of the loops cancels out.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any, Final

import compiled
from contenders import RUST, engine, takes
from session import KINDS, Kind, dumps
from workloads import event_list, event_of_delta, samples, text_pieces, write_log, write_many, write_zstd

LOG_BYTES: Final = 1_000_000
LISTED: Final = 3_000
PIECES: Final = 2_000
MANY: Final = (20, 20_000)

Work = Callable[[int], Any]


def prepare(folder: Path) -> None:
    """Everything that is read, since writing it under callgrind would take minutes."""
    expected: dict[str, Any] = {}
    for kind in KINDS:
        expected[f"{kind}.jsonl"] = write_log(folder / f"{kind}.jsonl", kind, LOG_BYTES)
        expected[f"{kind}.zst"] = write_zstd(folder / f"{kind}.zst", kind, LOG_BYTES)
        events, expected[f"{kind}.json"] = event_list(kind, LISTED)
        (folder / f"{kind}.json").write_bytes(b"\n".join(map(dumps, events)))
    (folder / "many").mkdir()
    paths, outputs = write_many(folder / "many", *MANY)
    expected |= {f"many/{path.name}": output for path, output in zip(paths, outputs, strict=True)}
    pieces, expected["pieces"] = text_pieces(PIECES)
    (folder / "pieces").write_text(json.dumps(pieces), encoding="utf-8")
    (folder / "samples").write_text(
        json.dumps([(one.name, one.event, one.output(1)) for one in samples()]), encoding="utf-8"
    )
    (folder / "expected").write_text(json.dumps(expected), encoding="utf-8")


def times(call: Callable[[], Any], count: int) -> Any:
    answer = None
    for _ in repeat(None, count):
        answer = call()
    return answer


def pushed(method: str, argument: Any, count: int) -> Any:
    fold = engine(RUST).AssistantOutputFold()
    push = getattr(fold, method)
    for _ in repeat(None, count):
        push(argument)
    return fold.collect()


def each_pushed(method: str, arguments: list[Any]) -> Any:
    fold = engine(RUST).AssistantOutputFold()
    push = getattr(fold, method)
    for argument in arguments:
        push(argument)
    return fold.collect()


def read_log(path: Path) -> Any:
    return engine(RUST).read(path).output


def read_data(data: bytes) -> Any:
    return engine(RUST).read_bytes(data).output


def read_each(paths: list[Path]) -> list[Any]:
    return list(map(read_log, paths))


def read_all(read_many: Callable[..., Any], paths: list[Path]) -> list[Any]:
    # One thread where that can be asked for: how several share the work is chance.
    options = {"threads": 1} if takes(read_many, "threads") else {}
    return [one.output for one in read_many(paths, **options)]


def works(folder: Path) -> Iterator[tuple[str, int, Work, Any]]:
    """A name, n, what to do, and the answer of doing it once."""
    expected = json.loads((folder / "expected").read_text(encoding="utf-8"))
    for kind in KINDS:
        yield from of_logs(folder, kind, expected)
    paths = sorted((folder / "many").iterdir())
    answers = [expected[f"many/{path.name}"] for path in paths]
    yield "read, 20 small logs", 1, partial(times, partial(read_each, paths)), answers
    read_many = getattr(engine(RUST), "read_many", None)
    if read_many is not None:
        yield "read_many, 20 small logs", 1, partial(times, partial(read_all, read_many, paths)), answers
    for name, event, output in json.loads((folder / "samples").read_text(encoding="utf-8")):
        yield f"push, {name}", 200, partial(pushed, "push", event), output
        if name in ("tool/result", "assistant/message"):
            yield f"push_json, {name}", 20, partial(pushed, "push_json", dumps(event)), output
    pieces = json.loads((folder / "pieces").read_text(encoding="utf-8"))
    yield from of_pieces(pieces, expected["pieces"])


def of_logs(folder: Path, kind: Kind, expected: dict[str, Any]) -> Iterator[tuple[str, int, Work, Any]]:
    path, stored = folder / f"{kind}.jsonl", folder / f"{kind}.zst"
    count = 20 if kind == "normal" else 2
    yield f"read, {kind}", count, partial(times, partial(read_log, path)), expected[path.name]
    yield f"read_bytes, {kind}", count, partial(times, partial(read_data, path.read_bytes())), expected[path.name]
    yield f"read zstd, {kind}", count, partial(times, partial(read_log, stored)), expected[stored.name]
    events = [json.loads(line) for line in (folder / f"{kind}.json").read_bytes().split(b"\n")]
    answer = partial(engine(RUST).final_assistant_output, events)
    yield f"list, {kind}", count, partial(times, answer), expected[f"{kind}.json"]


def of_pieces(pieces: list[str], expected: Any) -> Iterator[tuple[str, int, Work, Any]]:
    def extended() -> Any:
        fold = engine(RUST).AssistantOutputFold()
        fold.extend_text(pieces)
        return fold.collect()

    yield "push_text, 2,000 pieces", 1, partial(times, partial(each_pushed, "push_text", pieces)), expected
    yield "extend_text, 2,000 pieces", 2, partial(times, extended), expected
    events = [event_of_delta(piece, number) for number, piece in enumerate(pieces)]
    yield "push, 2,000 chunks", 1, partial(times, partial(each_pushed, "push", events)), expected
    records = [dumps(event) + b"\n" for event in events]
    yield "push_json, 2,000 chunks", 1, partial(times, partial(each_pushed, "push_json", records)), expected
    yield "feed, 2,000 reads", 1, partial(times, partial(each_pushed, "feed", records)), expected


def run(folder: Path) -> list[tuple[str, int]]:
    """Each work: once to warm up and to check, then n times and 2n times, a mark before and after each."""
    mark = compiled.floor_calls().mark
    done = []
    gc.disable()
    for name, count, work, expected in works(folder):
        if work(1) != expected:
            raise SystemExit(f"{name}: a wrong answer, nothing to count")
        work(count)
        mark()
        work(count)
        mark()
        work(2 * count)
        mark()
        done.append((name, count))
    return done


def main() -> int:
    what, folder = sys.argv[1], Path(sys.argv[2])
    if what == "prepare":
        prepare(folder)
        return 0
    try:
        print(json.dumps(run(folder)))
    except compiled.NoCompilerError as error:
        print(f"the marks between the counts need a C compiler: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
