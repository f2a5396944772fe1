"""A case: a kind and its data, the same for a seed and a number whenever it is drawn."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from itertools import accumulate
from types import ModuleType
from typing import Any

from differential.choice import Choice
from differential.comparison import Difference, engines_differ
from differential.kinds import KINDS

MODULES = {"rust": "lastsaid._core", "python": "lastsaid._reference"}


@dataclass(frozen=True)
class Case:
    kind: str
    data: dict[str, Any]


class Bench:
    """The engines that are compared, and the kinds of cases that all of them offer."""

    def __init__(self, engines: dict[str, ModuleType], kinds: tuple[str, ...] = ()) -> None:
        self.names = list(engines)
        self.engines = list(engines.values())
        offered = [name for name, kind in KINDS.items() if all(map(kind.offered, self.engines))]
        self.kinds = [name for name in offered if not kinds or name in kinds]
        if not self.kinds:
            raise ValueError(f"none of these kinds is offered; there are {', '.join(offered)}")
        self.totals = list(accumulate(KINDS[name].WEIGHT for name in self.kinds))

    def draw(self, seed: int, number: int) -> Case:
        """The case of that number. With one kind alone a number always means the same, whatever else is offered."""
        roll = Choice(f"{seed}/{number}").below(self.totals[-1])
        kind = next(name for name, total in zip(self.kinds, self.totals, strict=True) if roll < total)
        return Case(kind, KINDS[kind].draw(Choice(f"{seed}/{number}/{kind}")))

    def differ(self, case: Case) -> Difference | None:
        """The first difference of a case: between engines, or between what must agree within one."""
        kind = KINDS[case.kind]
        said = kind.ask(self.engines, case.data)
        found = engines_differ(self.names, said)
        if found is not None:
            return found
        for name, one in zip(self.names, said, strict=True):
            for broken in kind.laws(one, case.data):
                return Difference(
                    f"{name}: {broken.left}", broken.right, broken.about, broken.says_left, broken.says_right
                )
        return None


def loaded(names: tuple[str, ...] = ("rust", "python")) -> dict[str, ModuleType]:
    """The engines by their names; one that isn't built is an error."""
    return {name: importlib.import_module(MODULES[name]) for name in names}
