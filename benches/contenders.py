"""The engines by name, and what they can do today."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable
from typing import Any, Final

from lastsaid.engine import engine_named

RUST: Final = "rust"
PYTHON: Final = "python"
ENGINES: Final = (RUST, PYTHON)
FLOOR: Final = "floor"
TAIL_FLOOR: Final = "floor, last 64 KiB"


def engine(name: str) -> Any:
    """The engine module; what is being built is looked up by name."""
    return engine_named(name)


def refuse_other_builds() -> None:
    """Only a release build is measured. Raises SystemExit."""
    if importlib.util.find_spec("lastsaid._core") is None:
        raise SystemExit("this build has no Rust engine: build with --release")
    build = engine(RUST).BUILD
    if build != "release":
        raise SystemExit(f"lastsaid._core is a {build} build, its times mean nothing: build with --release")


def takes(function: Callable[..., Any], keyword: str) -> bool:
    return keyword in inspect.signature(function).parameters


def installed(module: str) -> str | None:
    """Why a peer can't take part; None if it can."""
    try:
        found = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        # Of `a.b`, `a` isn't there.
        found = None
    return None if found is not None else f"{module} is not installed here"
