"""Which engine reads: `--engine`, else what LASTSAID_ENGINE chose when lastsaid was imported."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Final, cast

from lastsaid._protocol import Engine
from lastsaid.cli.arguments import MisuseError

ENGINES: Final = ("rust", "python", "auto")
_VARIABLE: Final = "LASTSAID_ENGINE"


def chosen_engine(name: str | None) -> Engine:
    """The engine of that name; `MisuseError` for one that there isn't."""
    try:
        # Importing it chooses, so a wrong LASTSAID_ENGINE shows here.
        chosen = import_module("lastsaid.engine")
        if name is None or name == chosen.ENGINE or name == (os.environ.get(_VARIABLE) or "auto"):
            return cast(Engine, chosen)
        return cast(Engine, chosen.engine_named(name))
    except ValueError as error:
        raise MisuseError(str(error), f"set {_VARIABLE} to one of them, or unset it") from None
    except ModuleNotFoundError as error:
        # The engine's own sentence has no module name; a missing module that has one is a broken installation.
        if error.name is not None:
            raise
        what, _, _ = str(error).partition("; ")
        # The option comes too late where the variable has asked for what there isn't.
        remedy = f"{_VARIABLE}=python lastsaid …" if os.environ.get(_VARIABLE) == "rust" else "--engine python"
        raise MisuseError(what, f"use the other engine ({remedy}), or install a wheel that has it") from None
