"""Loads tests/corpus, and the big handed corpus where there is one (LASTSAID_CORPUS)."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lastsaid

CORPUS = Path(__file__).resolve().parent / "corpus"
REPOSITORY = CORPUS.parent.parent


@dataclass(frozen=True)
class Case:
    """One log and what must come of reading it. `objects`: whether lists of its events answer the same."""

    id: str
    log: bytes
    expected: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    objects: bool = True

    def __str__(self) -> str:
        return self.id


def captured(folder: Path) -> list[Case]:
    """Sessions of real products: `<case>/{case.json,log.jsonl}`. Notification logs hold several sessions: later."""
    cases = []
    for path in sorted(folder.glob("*/case.json")):
        log = path.with_name("log.jsonl")
        if log.exists():
            said = json.loads(path.read_bytes())["expected"]
            expected = {"output": said["output"], "stop_reason_raw": said["last_turn_end"]}
            cases.append(Case(f"{folder.name}/{path.parent.name}", log.read_bytes(), expected))
    return cases


def written(folder: Path) -> list[Case]:
    """Cases nobody captured: see tests/corpus/README.md for the keys."""
    return [
        Case(
            f"{folder.name}/{path.parent.name}",
            path.with_name("log.jsonl").read_bytes(),
            case.get("expected"),
            case.get("expected_error"),
            case.get("options", {}),
            case.get("objects", True),
        )
        for path in sorted(folder.glob("*/case.json"))
        for case in [json.loads(path.read_bytes())]
    ]


def oracle(folder: Path) -> list[Case]:
    """Generated logs with the reference system's own answer; those with `on_malformed` hold damaged records."""
    cases = []
    for path in sorted(folder.glob("events-*.jsonl")):
        for line in path.read_bytes().splitlines():
            case = json.loads(line)
            options = {"on_malformed": case["on_malformed"]} if "on_malformed" in case else {}
            log = case["log"].encode("utf-8")
            expected = {"output": case["expected"]}
            for suffix in ("own", "whole"):
                name = f"{path.stem}/{case['name']}-{suffix}"
                cases.append(Case(name, log, expected, options={**options, "suffix": suffix}, objects=not options))
    return cases


def shipped() -> list[Case]:
    return captured(CORPUS / "dsh") + written(CORPUS / "written") + oracle(CORPUS / "oracle")


def handed_folder() -> Path | None:
    """Where the big corpus is: LASTSAID_CORPUS, else `shared/corpus` beside the repository, if it is there."""
    named = os.environ.get("LASTSAID_CORPUS")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "corpus"
    return folder if named or folder.is_dir() else None


def handed() -> list[Case]:
    folder = handed_folder()
    return captured(folder / "dsh") + oracle(folder / "oracle") if folder else []


def records(log: bytes) -> list[bytes]:
    """The lines of a log that aren't blank, without their LF; byte 0's BOM and padding at the end are gone."""
    body = log.removeprefix(b"\xef\xbb\xbf").rstrip(b"\0")
    return [line for line in body.split(b"\n") if line.strip(b" \t\r")]


def parsed(log: bytes) -> tuple[list[bytes], list[Any]]:
    """The records that the standard library can parse, as text and as objects; torn and very deep ones are left out."""
    lines, events = [], []
    for line in records(log):
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        lines.append(line)
        events.append(event)
    return lines, events


def package_parent() -> Path:
    """The folder to put on PYTHONPATH for a subprocess that imports this very lastsaid."""
    return Path(lastsaid.__file__).resolve().parent.parent
