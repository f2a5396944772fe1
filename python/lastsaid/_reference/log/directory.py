"""The log in a session's directory (S5)."""

from __future__ import annotations

import errno
import os
import re
from typing import Final

from lastsaid.errors import AmbiguousLogError

_NAME: Final = re.compile(r"session(?:\.v([1-9][0-9]*))?\.jsonl(\.zstd)?", re.ASCII)


def log_in(directory: str | bytes) -> str | bytes:
    """The path of the log of the highest version in a directory."""
    found = []
    for name in os.listdir(directory):
        match = _NAME.fullmatch(os.fsdecode(name))
        if match:
            found.append((int(match[1] or 0), match[2] or "", name))
    if not found:
        raise OSError(errno.EISDIR, "Is a directory and holds no session.jsonl", directory)
    found.sort()
    version, _, name = found[-1]
    if len(found) > 1 and found[-2][0] == version:
        raise AmbiguousLogError(os.fsdecode(directory), (os.fsdecode(found[-2][2]), os.fsdecode(name)))
    return os.path.join(directory, name)  # type: ignore[arg-type]
