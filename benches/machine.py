"""What ran where: processor, system, versions. Nothing here names a path or a person."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path
from typing import Any, Final

# In the order of the page; what isn't installed is reported as such.
PACKAGES: Final = (
    "lastsaid", "orjson", "msgspec", "pysimdjson", "fastsimdjson", "zstandard", "pydantic-ai-slim", "anthropic",
    "openai", "langchain-core", "litellm", "agent-client-protocol", "matplotlib",
)  # fmt: skip

MEASURED: Final = ("rust", "python", "Cargo.toml", "Cargo.lock", "benches/*.py", "benches/*.c")


def about() -> dict[str, Any]:
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "commit": _commit(),
        "versions": {name: _version(name) for name in PACKAGES},
    }


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "an unnamed processor"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _commit() -> str | None:
    """Which one was measured; `+` if what is measured, or what measures, is not as it was committed."""
    try:
        commit = _git("rev-parse", "--short", "HEAD")
        return commit + ("+" if _git("status", "--porcelain", "--", *MEASURED) else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(*arguments: str) -> str:
    git = ["git", "-C", str(Path(__file__).resolve().parent.parent), *arguments]
    return subprocess.run(git, check=True, capture_output=True, text=True).stdout.strip()
