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


@dataclass(frozen=True)
class Family:
    """One log of notifications: its root, and the output of each child by session id."""

    id: str
    log: bytes
    root: str
    children: dict[str, Any]

    def __str__(self) -> str:
        return self.id

    def cases(self) -> list[Case]:
        """Every session asked for by name; the root needs none."""
        said = {self.root: said_last(self.log, self.root), **self.children}
        named = [
            Case(f"{self.id}/{session}", self.log, {"output": output}, options={"session": session}, objects=False)
            for session, output in said.items()
        ]
        return [Case(self.id, self.log, {"output": said[self.root]}, objects=False), *named]


def said_last(log: bytes, session: str) -> Any:
    """S2 for one session of sound notifications, as short as it can be said."""
    said, streamed = None, ""
    for record in map(json.loads, log.splitlines()):
        if record.get("method") != "session.event" or record["params"]["sessionId"] != session:
            continue
        event = record["params"]["event"]
        if event["type"] in ("assistant/message", "assistant/attempt"):
            said = event["data"].get("message", {}).get("content") or said
            streamed += "".join("".join(piece.get("texts", ())) for piece in text_chunks(event))
    return said or ([{"type": "text", "text": streamed}] if streamed else None)


def text_chunks(event: dict[str, Any]) -> list[dict[str, Any]]:
    return [record for record in event["data"].get("stream") or [] if record["type"] == "text-chunks"]


def families(folder: Path) -> list[Family]:
    """Logs of notifications: `<case>/{case.json,log.rpc.jsonl}`."""
    return [
        Family(
            f"notifications/{path.parent.name}",
            path.read_bytes(),
            case["root"],
            case["expected"]["children"],
        )
        for path in sorted(folder.glob("*/log.rpc.jsonl"))
        for case in [json.loads(path.with_name("case.json").read_bytes())]
    ]


def captured(folder: Path) -> list[Case]:
    """Sessions of real products: `<case>/{case.json,log.jsonl}`."""
    cases = []
    for path in sorted(folder.glob("*/case.json")):
        log = path.with_name("log.jsonl")
        if log.exists():
            said = json.loads(path.read_bytes())["expected"]
            expected = {"output": said["output"], "stop_reason_raw": said["last_turn_end"]}
            cases.append(Case(f"{folder.name}/{path.parent.name}", log.read_bytes(), expected))
    return cases


def written(folder: Path) -> list[Case]:
    """Cases nobody captured, as far as they are logs: see tests/corpus/README.md for the keys."""
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
        if path.with_name("log.jsonl").exists()
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


def notified(folder: Path) -> list[Case]:
    return [case for family in families(folder) for case in family.cases()]


def shipped() -> list[Case]:
    dsh = CORPUS / "dsh"
    by_hand = written(CORPUS / "written") + written(CORPUS / "differential")
    return captured(dsh) + notified(dsh) + by_hand + oracle(CORPUS / "oracle")


def handed_folder() -> Path | None:
    """Where the big corpus is: LASTSAID_CORPUS, else `shared/corpus` beside the repository, if it is there."""
    named = os.environ.get("LASTSAID_CORPUS")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "corpus"
    return folder if named or folder.is_dir() else None


def handed() -> list[Case]:
    folder = handed_folder()
    return captured(folder / "dsh") + notified(folder / "dsh") + oracle(folder / "oracle") if folder else []


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
