"""Chooses the engine once, when it is first used: LASTSAID_ENGINE=rust|python|auto (architecture.md, lockstep 8).

`auto` takes the Rust engine, and the reference only where the build has none, saying so once through logging.
An engine that is there and broken is always an error.
"""

from __future__ import annotations

import os
import warnings

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from lastsaid._protocol import Engine

__all__ = ["active", "engine_named", "restore_fold"]


def engine_named(name: str) -> Engine:
    """The engine module of that name: `rust`, `python`, or `auto`."""
    if name == "python":
        from lastsaid import _reference

        return _reference
    if name not in ("rust", "auto"):
        raise ValueError(f"LASTSAID_ENGINE is {name!r}, expected 'rust', 'python' or 'auto'")
    try:
        import lastsaid._core
    except ModuleNotFoundError as error:
        # One that is there and lacks something else is broken.
        if error.name != "lastsaid._core":
            raise
        if name == "rust":
            raise ModuleNotFoundError(
                "this build of lastsaid has no Rust engine (lastsaid._core); "
                "install a wheel that has it, or set LASTSAID_ENGINE=python"
            ) from None
        import logging

        logging.getLogger("lastsaid").warning("no Rust engine in this build: using the pure Python one")
        return engine_named("python")
    return lastsaid._core


_active: Engine | None = None


def active() -> Engine:
    """The engine of this process, chosen once, when it is first needed."""
    global _active
    if _active is None:
        engine = engine_named(os.environ.get("LASTSAID_ENGINE") or "auto")
        if getattr(engine, "BUILD", "release") == "debug":
            warnings.warn("this is a debug build of lastsaid's engine: it is slow", RuntimeWarning, stacklevel=2)
        _active = engine
    return _active


def restore_fold(pickled: dict[str, Any], /) -> Any:
    """A fold from its pickle, whichever engine wrote it (S10)."""
    fold: Any = active().AssistantOutputFold
    return fold._from_pickle(pickled)
