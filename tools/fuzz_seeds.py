"""Write the corpus as seeds for the fuzzers: rust/fuzz/seeds/{json,frames,fold}. Called by `make fuzz`."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "tests"))

from corpus_cases import records, shipped  # noqa: E402
from differential.choice import Choice  # noqa: E402
from differential.encoding import encoded, plan_of, server_sent  # noqa: E402

# Fuzzers grow what is small; what is large only slows them down.
LARGEST = 4096
SUFFIXES = {"start": 2, "turn": 3, "since_seq": 4}
DICTIONARY = (
    "assistant/message", "assistant/attempt", "assistant/chunk", "text-chunks", "turn/start", "turn/end",
    "session/end-seed", "subagent.started", "session.event", "session_event", "text-delta", "seedLength",
    "childSessionId", "sessionId", "\\\\u00", "\\\\/", "data: ", "\\xef\\xbb\\xbf",
    "\\x28\\xb5\\x2f\\xfd", "\\x1f\\x8b",
)  # fmt: skip


def logs() -> Iterator[tuple[bytes, dict[str, object]]]:
    for case in shipped():
        if len(case.log) <= LARGEST:
            yield case.log, case.options


def head(options: dict[str, object]) -> bytes:
    """The options as the target `fold` has them in its first three bytes."""
    kind = int(options.get("suffix") == "whole")
    number = 0
    for name, code in SUFFIXES.items():
        if name in options:
            kind, number = code, int(str(options[name])) % 256
    return bytes((kind, number, int(options.get("on_malformed") == "skip")))


def seeds() -> Iterator[tuple[str, bytes]]:
    for number, (log, options) in enumerate(logs()):
        choice = Choice(f"seeds/{number}")
        yield "fold", head(options) + log
        yield "fold", head(options) + server_sent(records(log), choice)
        yield "fold", head(options) + b"[" + b",".join(records(log)) + b"]"
        yield "frames", encoded(log, plan_of(log, choice, damage=0.3))
        for record in records(log):
            yield "json", record


def main() -> int:
    folder = REPOSITORY / "rust" / "fuzz" / "seeds"
    count = 0
    for target, data in seeds():
        path = folder / target / hashlib.sha256(data).hexdigest()[:16]
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(data)
        count += 1
    (folder / "words").write_text("".join(f'"{word}"\n' for word in DICTIONARY))
    print(f"{count} seeds in {folder.relative_to(REPOSITORY)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
