"""What did the agent finally say? One rule, two engines (docs/spec/selection.md)."""

from __future__ import annotations

# Not from typing, which takes longer to import than all of this; type checkers know the name.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Literal

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


# Where the names are that no engine has.
_HOMES = {
    "lastsaid.errors": (
        "AmbiguousLogError",
        "FoldBusyError",
        "LastsaidError",
        "MalformedEventError",
        "MissingExtraError",
        "SessionNotFoundError",
        "TurnNotFoundError",
    ),
    "lastsaid.problem": ("Problem",),
    "lastsaid.selection": ("EarlierText", "Selection", "SelectionWarning"),
}


# Names are looked up when they are first used, not at import: a harness that imports this pays for what it calls.
# So the command line can say in words what is wrong with LASTSAID_ENGINE, and whoever only catches our exceptions
# loads no engine.
def __getattr__(name: str) -> Any:
    if name == "__version__":
        # The one place of the version is Cargo.toml; the installed metadata has it from there.
        from importlib.metadata import version

        return version("lastsaid")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for home, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            value = getattr(import_module(home), name)
            break
    else:
        from lastsaid.engine import active

        value = getattr(active(), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
