"""What did the agent finally say? One rule, two engines (docs/spec/selection.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from lastsaid.errors import (
    AmbiguousLogError,
    FoldBusyError,
    LastsaidError,
    MalformedEventError,
    MissingExtraError,
    SessionNotFoundError,
    TurnNotFoundError,
)
from lastsaid.problem import Problem
from lastsaid.selection import EarlierText, Selection, SelectionWarning

if TYPE_CHECKING:
    # Both engines have the same surface; the reference is the one that type checkers can read.
    from lastsaid._reference import (
        RULE_VERSION,
        AssistantOutputFold,
        check,
        final_assistant_output,
        read,
        read_bytes,
        read_many,
        read_sessions,
        select,
        suffix_start,
    )

    ENGINE: Literal["rust", "python"]
    __version__: str

__all__ = [
    "ENGINE",
    "RULE_VERSION",
    "AmbiguousLogError",
    "AssistantOutputFold",
    "EarlierText",
    "FoldBusyError",
    "LastsaidError",
    "MalformedEventError",
    "MissingExtraError",
    "Problem",
    "Selection",
    "SelectionWarning",
    "SessionNotFoundError",
    "TurnNotFoundError",
    "check",
    "final_assistant_output",
    "read",
    "read_bytes",
    "read_many",
    "read_sessions",
    "select",
    "suffix_start",
]


# The engine is chosen when it is first used, not at import: so the command line can say in words what is wrong
# with LASTSAID_ENGINE, and whoever only catches our exceptions loads no engine.
def __getattr__(name: str) -> Any:
    if name == "__version__":
        # The one place of the version is Cargo.toml; the installed metadata has it from there.
        from importlib.metadata import version

        return version("lastsaid")
    if name in __all__:
        from lastsaid.engine import active

        value = getattr(active(), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
