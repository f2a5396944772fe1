"""What a call says or raises, as something that is quick to compare and the same in both engines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from lastsaid import LastsaidError, Selection
from ways import answer, failure

# What a call said, by the name of the call, in order; one list an engine.
Said = list[tuple[str, Any]]


def told(call: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """What a call answers, or everything its error says; a panic is an error like any other here."""
    try:
        return {"answer": plain(call(*given, **named))}
    except LastsaidError as error:
        return {"error": failure(error)}
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return {"error": {"class": type(error).__name__, "message": str(error)}}


def of_each(
    ask: Callable[[ModuleType, dict[str, Any]], Said],
) -> Callable[[list[ModuleType], dict[str, Any]], list[Said]]:
    """For kinds that ask one engine after the other."""
    return lambda engines, data: [ask(engine, data) for engine in engines]


def plain(said: Any) -> Any:
    """An answer without what must differ: the engine's name."""
    if isinstance(said, Selection):
        return answer(said)
    if isinstance(said, dict):
        return {key: plain(value) for key, value in said.items()}
    if isinstance(said, list | tuple) and said and isinstance(said[0], Selection):
        return [answer(one) for one in said]
    return said


def state(fold: Any) -> Any:
    """Everything a fold knows, as its pickle has it."""
    return fold.__reduce__()[1][0]


def without(found: Any, *names: str) -> Any:
    """What was told without some of what an answer says, also of its earlier text; an error keeps all."""
    if not isinstance(found, dict) or not isinstance(found.get("answer"), dict):
        return found
    said = {key: value for key, value in found["answer"].items() if key not in names}
    if said.get("earlierText"):
        said["earlierText"] = {key: value for key, value in said["earlierText"].items() if key not in names}
    return {"answer": said}


@dataclass(frozen=True)
class Difference:
    """Two that should say the same: who they are, about what, and what they say."""

    left: str
    right: str
    about: str
    says_left: Any
    says_right: Any

    @property
    def sort(self) -> str:
        """Those who differ and about what, without numbers."""
        return re.sub(r"[0-9]+", "#", f"{self.left} and {self.right} about {self.about}")

    def __str__(self) -> str:
        return f"{self.about}\n  {self.left}: {shown(self.says_left)}\n  {self.right}: {shown(self.says_right)}"


def shown(said: Any) -> str:
    text = repr(said)
    return text if len(text) < 4000 else f"{text[:2000]} … {text[-2000:]}"


def same(left: Any, right: Any) -> bool:
    """Equal with types and the order of keys: `1`, `1.0` and `True` are three things here."""
    try:
        return repr(left) == repr(right)
    except RecursionError:
        return left == right


def same_json(left: Any, right: Any) -> bool:
    """Equal as JSON, in which the order of keys says nothing."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def engines_differ(names: list[str], said: list[Said]) -> Difference | None:
    """The first thing about which two engines say something else."""
    for other in range(1, len(said)):
        for (about, left), (about_too, right) in zip(said[0], said[other], strict=False):
            if about != about_too or not same(left, right):
                return Difference(names[0], names[other], about, left, right)
        if len(said[0]) != len(said[other]):
            return Difference(names[0], names[other], "the number of things said", len(said[0]), len(said[other]))
    return None
