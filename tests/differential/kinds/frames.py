"""Logs as gzip and zstd, sound, odd, cut and spoilt (S7 Frames)."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

from differential.choice import Choice
from differential.comparison import Difference, Said, of_each, same, told, without
from differential.damage import stretched
from differential.encoding import MAGIC, encoded, plan_of
from differential.kinds.logs import LONG, drawn_log, drawn_options, drawn_way, options_of, read_from
from differential.kinds.logs import WORDS as OPTION_WORDS

WEIGHT = 14
WORDS = OPTION_WORDS | {"gzip", "zstd", "compressed", "rle", "raw"}


def offered(engine: ModuleType) -> bool:
    """Who takes this limit decompresses."""
    return "max_decompressed_bytes" in options_of(engine)


def draw(choice: Choice) -> dict[str, Any]:
    log = drawn_log(choice, damage=choice.of((0.0, 0.0, 0.3)))
    options = drawn_options(choice, log)
    way = drawn_way(choice, log)
    if choice.chance(LONG):
        log, way = stretched(log, choice), choice.of((0, 100_000))
    if choice.chance(0.1):
        options["max_decompressed_bytes"] = max(1, choice.of((len(log), len(log) - 1, choice.below(len(log) + 2))))
    return {"log": log, "plan": plan_of(log, choice, damage=0.6), "options": options, "way": way}


@of_each
def ask(engine: ModuleType, data: dict[str, Any]) -> Said:
    file, options, way = encoded(data["log"], data["plan"]), data["options"], data["way"]
    found: Said = [
        ("read_bytes", told(engine.read_bytes, file, **options)),
        (f"read in pieces of {way}", told(read_from, engine, file, way, options)),
    ]
    if is_plain(data):
        found.append(("read_bytes of the log", told(engine.read_bytes, data["log"], **options)))
    if hasattr(engine, "check"):
        found.append(("check", told(engine.check, file)))
    return found


def is_plain(data: dict[str, Any]) -> bool:
    """Whether the file is a sound encoding of a log that isn't empty or encoded itself, and no limit cuts it."""
    odd = any(key in data["plan"] for key in ("odd", "flips", "cut", "tail"))
    is_encoded = data["log"].startswith((MAGIC, b"\x1f\x8b")) or data["log"][1:4] == b"*M\x18"
    return bool(data["log"]) and not (odd or is_encoded) and "max_decompressed_bytes" not in data["options"]


def laws(said: Said, data: dict[str, Any]) -> Iterator[Difference]:
    """What is read is what the frames hold, from whatever source; only lines may be known or not."""
    found = dict(said)
    names = [name for name, _ in said if name.startswith("read")]
    for name in names[1:]:
        if "max_decompressed_bytes" in data["options"]:
            # Where a log is read backward fewer frames are touched.
            continue
        if not same(without(found[names[0]], "line"), without(found[name], "line")):
            yield Difference(names[0], name, "the ways of reading one file", found[names[0]], found[name])
