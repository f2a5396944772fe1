"""Both engines offer the same names, parameters and words about them (architecture.md, lockstep 6)."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import pytest

import lastsaid
from lastsaid._protocol import DEFAULT_MAX_RECORD_BYTES

FUNCTIONS = (
    *("final_assistant_output", "select", "suffix_start"),
    *("read", "read_bytes", "read_many", "read_sessions", "check"),
)
CONSTANTS = ("ENGINE", "RULE_VERSION")
METHODS = (
    *("push", "push_text", "push_json", "extend", "extend_text", "extend_json", "collect", "selection", "merge"),
    *("feed", "end"),
    *("__copy__", "__deepcopy__", "__reduce__", "_from_pickle"),
)


def parameters(callable_: Any) -> list[tuple[str, Any, Any]]:
    return [(p.name, p.kind, p.default) for p in inspect.signature(callable_).parameters.values()]


def public(thing: Any) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def test_engine_offers_every_name(engine: ModuleType) -> None:
    names = {*FUNCTIONS, *CONSTANTS, "AssistantOutputFold"}
    assert names <= set(dir(engine))
    assert names <= set(lastsaid.__all__) <= set(dir(lastsaid))
    assert engine.RULE_VERSION == 1
    assert engine.ENGINE in ("rust", "python")


def test_names_of_the_package_are_all_there() -> None:
    for name in lastsaid.__all__:
        assert getattr(lastsaid, name) is not None
    with pytest.raises(AttributeError, match="module 'lastsaid' has no attribute 'nonsense'"):
        lastsaid.nonsense  # noqa: B018


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_the_same_parameters(both_engines: Any, name: str) -> None:
    """Both engines, because it is about the two."""
    rust, python = (getattr(engine, name) for engine in both_engines)
    assert parameters(rust) == parameters(python)
    assert rust.__name__ == python.__name__ == name


@pytest.mark.parametrize("name", METHODS)
def test_methods_have_the_same_parameters(both_engines: Any, name: str) -> None:
    """Both engines, because it is about the two."""
    rust, python = (getattr(engine.AssistantOutputFold(), name) for engine in both_engines)
    assert parameters(rust) == parameters(python)


def test_folds_have_the_same_constructor_and_public_names(both_engines: Any) -> None:
    """Both engines, because it is about the two."""
    rust, python = (engine.AssistantOutputFold for engine in both_engines)
    assert parameters(rust) == parameters(python)
    assert public(rust) == public(python)
    assert rust.__module__ == python.__module__ == "lastsaid"
    assert rust.__qualname__ == python.__qualname__ == "AssistantOutputFold"


def test_everything_public_has_a_docstring(engine: ModuleType) -> None:
    things = [getattr(engine, name) for name in FUNCTIONS] + [engine.AssistantOutputFold]
    things += [getattr(engine.AssistantOutputFold, name) for name in public(engine.AssistantOutputFold)]
    for thing in things:
        assert (thing.__doc__ or "").strip(), thing


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_say_the_same(both_engines: Any, name: str) -> None:
    """Both engines, because it is about the two: help() doesn't depend on the build."""
    rust, python = (inspect.getdoc(getattr(engine, name)) for engine in both_engines)
    assert rust == python


def test_fold_shows_its_format_and_engine(engine: ModuleType) -> None:
    assert repr(engine.AssistantOutputFold()) == f"<lastsaid.AssistantOutputFold format='dsh' engine='{engine.ENGINE}'>"


def test_folds_take_no_attributes(engine: ModuleType) -> None:
    fold = engine.AssistantOutputFold()
    with pytest.raises(AttributeError):
        fold.anything = 3
    with pytest.raises(AttributeError):
        fold.text = "no"


def test_default_limit_is_stated(engine: ModuleType) -> None:
    """spec S7.17: limits with stated defaults."""
    for name in ("read", "read_bytes", "read_sessions", "check"):
        default = inspect.signature(getattr(engine, name)).parameters["max_record_bytes"].default
        assert default == DEFAULT_MAX_RECORD_BYTES == 256 * 1024 * 1024
