"""The command in a child process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import IO, NamedTuple

COMMAND = [sys.executable, "-m", "lastsaid"]
PATIENCE = 30


class Ran(NamedTuple):
    code: int
    out: bytes
    err: str

    @property
    def lines(self) -> list[str]:
        return self.err.splitlines()


def run(*arguments: str | bytes | Path, stdin: bytes | IO[bytes] = b"", **environment: str) -> Ran:
    done = subprocess.run(
        [*COMMAND, *arguments],
        **({"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}),
        capture_output=True,
        timeout=PATIENCE,
        env={**os.environ, **environment},
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr.decode())
