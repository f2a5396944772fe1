"""Checked by mypy strict, never run: the two engines satisfy one Protocol, and what users write is typed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lastsaid
from lastsaid import _core, _reference
from lastsaid._protocol import Engine

RUST: Engine = _core
PYTHON: Engine = _reference


def fold_of(events: list[dict[str, Any]]) -> list[Any] | None:
    fold = lastsaid.AssistantOutputFold()
    fold.extend(events)
    fold.push({"type": "turn/end"})
    fold.push_text("piece")
    fold.push_json(b"{}")
    fold.extend_json([b"{}", "{}"])
    fold.extend_json(memoryview(b"{}\n"))
    merged = fold.merge(lastsaid.AssistantOutputFold("dsh"))
    text: str = merged.text
    return merged.collect() if text else lastsaid.final_assistant_output(events, -1)


def answer_of(log: Path) -> str:
    selection: lastsaid.Selection = lastsaid.read(log, turn=-1, on_malformed="skip")
    with log.open("rb") as file:
        again = lastsaid.read(file, suffix="whole", max_record_bytes=1024)
    earlier = selection.earlier_text
    if lastsaid.SelectionWarning.TEXTLESS in again.warnings and earlier is not None:
        return earlier.text
    return selection.text if selection.is_final else selection.join_text("\n")


def answers_of(folder: Path) -> dict[Path, str]:
    paths = sorted(folder.rglob("*.jsonl"))
    answers = lastsaid.read_many(paths, threads=2, progress=lambda done, total: print(done, total))
    found = {path: said.text for path, said in zip(paths, answers, strict=True) if not isinstance(said, Exception)}
    answers.close()
    return found


def is_fast() -> bool:
    return lastsaid.ENGINE == "rust" or lastsaid.__version__ == "0"


def where_it_failed(data: bytes) -> int | None:
    try:
        lastsaid.read_bytes(data)
    except lastsaid.MalformedEventError as error:
        return error.offset
    return None
