"""What does it take until lastsaid is there?"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from questions import Question, Scale
from runner import Contender, Workload
from workloads import text_of, write_log


def ran(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def workloads(scale: Scale) -> Iterator[Workload]:
    path = scale.folder / "short.jsonl"
    text = text_of(write_log(path, "normal", 100_000))
    python = sys.executable
    script = Path(python).with_name("lastsaid")
    base = Contender("python -c pass", lambda _: ran(python, "-c", "pass"), checked=False)

    def code(name: str, words: str) -> Contender:
        return Contender(name, lambda _: ran(python, "-c", words), checked=False)

    yield Workload(
        "import",
        None,
        [
            base,
            code("import lastsaid", "import lastsaid"),
            code("import lastsaid, its engine", "import lastsaid; lastsaid.read"),
            code("import json", "import json"),
        ],
        unit="start",
    )
    expected = text if text.endswith("\n") else f"{text}\n"
    whole = f"import sys, lastsaid; print(lastsaid.read({str(path)!r}).text)"
    yield Workload(
        "command line",
        expected,
        [
            base,
            Contender("lastsaid LOG", lambda _: ran(str(script), str(path))),
            Contender("python -m lastsaid LOG", lambda _: ran(python, "-m", "lastsaid", str(path))),
            Contender("python -c (read, print)", lambda _: ran(python, "-c", whole)),
        ],
        unit="start",
    )
    path.unlink()


QUESTION = Question("startup", "Start-up", "Whole processes, from start to end.", workloads, seconds=2.0)
