"""The import arrows of docs/architecture.md, held against the sources."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python" / "lastsaid"

# What each room may import of the package, apart from itself.
ARROWS = {
    "errors": set(),
    "selection": set(),
    "problem": set(),
    "_protocol": {"problem", "selection"},
    "_reference": {"errors", "problem", "selection", "_protocol", "engine"},
    "engine": {"_protocol", "_reference", "_core"},
    "__init__": {"errors", "problem", "selection", "engine", "_reference"},
    "cli": {"engine", "errors", "problem", "selection", "_protocol"},
    "__main__": {"cli"},
}
WAITING = {"asyncio", "selectors", "socket", "subprocess"}


def imports(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            if node.module == "lastsaid":
                found |= {f"lastsaid.{alias.name}" for alias in node.names}
    return found


def rooms() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for file in PACKAGE.rglob("*.py"):
        room = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
        found.setdefault(room, set()).update(imports(file))
    return found


def test_every_room_is_on_the_map_and_imports_only_along_the_arrows():
    found = rooms()
    assert set(found) == set(ARROWS)
    for room, names in found.items():
        others = {name.split(".")[1] for name in names if name.startswith("lastsaid.")} - {room}
        assert others <= ARROWS[room], room


def test_nothing_here_waits_and_the_base_install_needs_no_third_party():
    import sys

    for room, names in rooms().items():
        tops = {name.split(".")[0] for name in names} - {"lastsaid"}
        assert tops <= set(sys.stdlib_module_names), room
        assert not tops & WAITING, room
