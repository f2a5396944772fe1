"""A case as files in tests/corpus/differential, and back (tests/corpus/README.md).

`case.json` holds the kind and the data, so that any case can be asked again. A case that is one plain log is also
written as the corpus has it, with the answer of the reference: then every way of the corpus tests, in both
languages, reads it too.
"""

from __future__ import annotations

import json
from ast import literal_eval
from pathlib import Path
from typing import Any

from differential.cases import Case
from differential.comparison import told
from lastsaid import _reference

FOLDER = Path(__file__).resolve().parent.parent / "corpus" / "differential"
# The options that the runners of the corpus know in both languages.
KNOWN_OPTIONS = {"suffix", "start", "turn", "since_seq", "on_malformed", "max_record_bytes"}
EXPECTED = ("output", "text", "source", "completeness", "seq", "offset", "warnings")
NAMES = {"stop_reason": "stopReason", "stop_reason_raw": "stopReasonRaw"}


def kept(case: Case, name: str, about: str, folder: Path = FOLDER) -> Path:
    """Write the case; the folder it is in now. What is right must be looked at by somebody: the spec decides."""
    there = folder / name
    there.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {"format": "dsh", "about": about, "spec": [], "kind": case.kind, "data": shown(case.data)}
    if case.kind == "logs" and set(case.data["options"]) <= KNOWN_OPTIONS:
        (there / "log.jsonl").write_bytes(case.data["log"])
        found |= _expected(case.data["log"], case.data["options"])
    (there / "case.json").write_text(json.dumps(found, indent=1, ensure_ascii=True) + "\n")
    return there


def shown(data: dict[str, Any]) -> str:
    """The data as a Python literal, which says bytes and tuples too."""
    text = repr(data).replace("inf", "1e999") if "inf" in repr(data) else repr(data)
    return text if literal_eval(text) == data else repr(data)


def loaded(there: Path) -> Case:
    found = json.loads((there / "case.json").read_bytes())
    return Case(found["kind"], literal_eval(found["data"]))


def all_kept(folder: Path = FOLDER) -> list[Path]:
    return sorted(path.parent for path in folder.glob("*/case.json"))


def _expected(log: bytes, options: dict[str, Any]) -> dict[str, Any]:
    """What the reference says, as the corpus has it; events one by one may say something else."""
    said = told(_reference.read_bytes, log, **options)
    with_options = {"options": options} if options else {}
    if "error" in said:
        names = ("kind", "path", "message", "offset", "line")
        return {**with_options, "expected_error": {name: said["error"][name] for name in names}, "objects": False}
    answer = said["answer"]
    expected = {name: answer[name] for name in EXPECTED} | {name: answer[key] for name, key in NAMES.items()}
    return {**with_options, "expected": expected, "objects": False}
