"""What does a long stream cost, a piece at a time and at once, and how much memory keeps its text?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import orjson

from contenders import PYTHON, RUST
from memory import Growth
from questions import Question, Scale
from questions.calls import HAND, C, collected, fold_of, with_c
from runner import Contender, Workload
from session import Output, dumps
from workloads import event_of_delta, text_pieces

PIECES = 100_000
LIST = "list.extend"
JOIN = '"".join'


def each(call: Callable[[Any], object], arguments: Any) -> None:
    for argument in arguments:
        call(argument)


def stream(
    name: str,
    names: list[str],
    run: Callable[[Any], Any],
    expected: Output,
    units: int,
    *,
    collecting: bool = False,
    memory: bool = False,
) -> Workload:
    """Each of these folds runs; its collecting is timed or not."""

    def contender(who: str) -> Contender:
        def call(fold: Any) -> Any:
            run(fold)
            return fold.collect() if collecting else fold

        grown = Growth("text", who, max(units, 1_000_000)) if memory else None
        answer = None if collecting else collected
        return Contender(who, call, given=lambda: fold_of(who), answer=answer, memory=grown)

    text = expected[0]["text"] if expected else ""
    # What a byte of text is kept in, of as many pieces as memory is measured with.
    about = {"text_bytes": len(text.encode()) * max(units, 1_000_000) // units}
    return Workload(name, expected, list(map(contender, names)), units, "piece", about=about)


def workloads(scale: Scale) -> Iterator[Workload]:
    count = 10 * PIECES if scale.full else PIECES
    pieces, expected = text_pieces(count)
    names, missing = with_c((RUST, PYTHON, HAND))
    one = stream("push_text", names, lambda fold: each(fold.push_text, pieces), expected, count, memory=True)
    one.missing = missing
    yield one
    yield stream(
        "push_text, collect", names, lambda fold: each(fold.push_text, pieces), expected, count, collecting=True
    )
    many = stream("extend_text", names, lambda fold: fold.extend_text(pieces), expected, count)
    many.contenders.append(Contender(LIST, lambda kept: kept.extend(pieces), list, checked=False))
    many.contenders.append(Contender(JOIN, lambda _: "".join(pieces), checked=False))
    yield many
    events = [event_of_delta(piece, number) for number, piece in enumerate(pieces)]
    yield stream("push, collect", names, lambda fold: each(fold.push, events), expected, count, collecting=True)
    yield from fed(pieces[:10_000])


def fed(pieces: list[str]) -> Iterator[Workload]:
    """The same as bytes from a socket, an event a read."""
    expected: Output = [{"type": "text", "text": "".join(pieces)}]
    lines = [dumps(event_of_delta(piece, number)) + b"\n" for number, piece in enumerate(pieces)]
    sent = [b"data: " + line + b"\n" for line in lines]

    def feed(fold: Any) -> None:
        each(fold.feed, lines)
        fold.end()

    def feed_sse(fold: Any) -> None:
        for one in sent:
            fold.feed(one, framing="sse")
        fold.end()

    def by_hand(reads: list[bytes], head: int) -> Contender:
        def call(fold: Any) -> Any:
            for one in reads:
                fold.push(orjson.loads(one[head:]))
            return fold

        return Contender("orjson.loads + by hand", call, lambda: fold_of(HAND), answer=collected)

    for name, run, reads, head in (("feed, lines", feed, lines, 0), ("feed, SSE", feed_sse, sent, 6)):
        one = stream(name, [RUST, PYTHON], run, expected, len(pieces))
        one.contenders.append(by_hand(reads, head))
        yield one


QUESTION = Question(
    "streams",
    "A long stream",
    "100,000 pieces, each an object of its own (1,000,000 in a full run; 10,000 reads for `feed`), into a new fold. "
    f"Memory is measured with 1,000,000 pieces that nobody else keeps. `{C}` as above.",
    workloads,
    seconds=0.7,
)
