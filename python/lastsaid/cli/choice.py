"""Which engine reads: `--engine`, else what LASTSAID_ENGINE says."""

from __future__ import annotations

from typing import Final

from lastsaid._protocol import Engine
from lastsaid.cli.arguments import MisuseError
from lastsaid.engine import active, engine_named

ENGINES: Final = ("rust", "python", "auto")
_VARIABLE: Final = "LASTSAID_ENGINE"


def chosen_engine(name: str | None) -> Engine:
    """The engine of that name; `MisuseError` for one that there isn't."""
    try:
        return active() if name is None else engine_named(name)
    except ValueError as error:
        raise MisuseError(str(error), f"set {_VARIABLE} to one of them, or unset it") from None
    except ModuleNotFoundError as error:
        # The engine's own sentence has no module name; a missing module that has one is a broken installation.
        if error.name is not None:
            raise
        what, _, _ = str(error).partition("; ")
        raise MisuseError(what, "use the other engine (--engine python), or install a wheel that has it") from None
    except ImportError as error:
        # The loader's own words say which file is broken, and how.
        raise MisuseError(
            f"the Rust engine is there and can't be loaded: {error}",
            "install lastsaid anew, or use the other engine (--engine python)",
        ) from None
