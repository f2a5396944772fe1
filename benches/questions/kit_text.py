"""What does the text of a stream cost in the packages people use?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from contenders import RUST
from peers.events import HandFold
from peers.kits import KITS, OWN, RAW, own_objects, raw_json, text_of_raw
from questions import Question, Scale
from questions.calls import fold_of
from questions.streams import each
from runner import Contender, Workload
from session import dumps
from workloads import event_of_delta, text_pieces

PUSH = "rust, push(dict)"
PUSH_JSON = "rust, push_json"
# Raw JSON is measured with so few in `make bench`: parsing is the same for each chunk.
RAW_CHUNKS = 2_000
# Its raw JSON only in a full run: half a minute for 2,000.
QUADRATIC = "ACP, session accumulator"


def ours(pieces: list[str]) -> list[Contender]:
    events = [event_of_delta(piece, number) for number, piece in enumerate(pieces)]
    records = list(map(dumps, events))

    def text(method: str, arguments: list[Any], fold: Any) -> Any:
        each(getattr(fold, method), arguments)
        return fold.text

    def by_hand(fold: Any) -> Any:
        each(fold.push_text, pieces)
        return fold.collect()[0]["text"]

    def new() -> Any:
        return fold_of(RUST)

    return [
        Contender(RUST, partial(text, "push_text", pieces), new, fed="str pieces"),
        Contender(PUSH, partial(text, "push", events), new, fed=OWN),
        Contender(PUSH_JSON, partial(text, "push_json", records), new, fed=RAW),
        Contender("by hand", by_hand, HandFold, fed="str pieces"),
    ]


def workloads(scale: Scale) -> Iterator[Workload]:
    for count in (100, RAW_CHUNKS, 10_000, 100_000):
        pieces, _ = text_pieces(count)
        contenders, missing = ours(pieces), {}
        for name, offer in KITS.items():
            if offer.missing:
                missing[name] = offer.missing
                continue
            if count > offer.most:
                missing[name] = f"more than {offer.most:,} chunks take too long"
                continue
            try:
                kit = offer.made()
                objects = own_objects(kit, pieces)
            except (ImportError, AttributeError, TypeError, ValueError) as error:
                # These are not all public names: a version that has others is missing, and the page says so.
                missing[name] = f"this version can't be used so: {type(error).__name__}: {error}".splitlines()[0]
                continue
            contenders.append(Contender(name, lambda _, kit=kit, objects=objects: kit.text(objects), fed=OWN))
            if scale.full or (count == RAW_CHUNKS and name != QUADRATIC):
                lines = raw_json(kit, pieces)
                contenders.append(
                    Contender(f"{name}, raw", lambda _, kit=kit, lines=lines: text_of_raw(kit, lines), fed=RAW)
                )
        yield Workload(f"{count:,} chunks", "".join(pieces), contenders, count, "chunk", missing)


QUESTION = Question(
    "kit_text",
    "The text of a stream, beside what people use",
    "Every chunk pushed, then the text. The packages also build typed snapshots, tool calls and usage: what is "
    "compared is the task. Each is fed with its own objects, made beforehand, or raw JSON, which it parses itself.",
    workloads,
    seconds=0.5,
)
