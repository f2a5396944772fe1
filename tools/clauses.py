"""Every clause of docs/spec/selection.md and the tests that cite it; exits 1 if there are clauses without any.

A clause is a section's prose (`S7`), a numbered item (`S6.3`), a bullet, a row of a table, or a paragraph that starts
in bold. A bullet's name is the bold or code it starts with (`S7 Torn tail`, `S5 feed`), else the one or two words
before its colon (`S7 Wrong`), else its number in the section (`S7.8`). A second one of the same name has a number
after it (`S9 counts 2`).

A test cites with `spec S7 Torn tail` in a docstring or comment, several with commas: `spec S5 feed, S6.3`; a case of
the corpus in its list `spec`. `S7` alone is a citation of the section's prose and of none of its items.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
SPEC = REPOSITORY / "docs" / "spec" / "selection.md"

_SECTION = re.compile(r"## (S\d+)\b")
_ITEM = re.compile(r"(?:(\d+)\.|-) ")
# Bold or code among the first words of an item.
_MARKED = re.compile(r"(?:[\w']+ ){0,2}(?:\*\*(.+?)\*\*|`(.+?)`)")
_LABEL = re.compile(r"([A-Za-z][\w-]*(?: [\w-]+)?):")
_CITED = re.compile(r"\bspec\s+(?=S\d)")
_REFERENCE = re.compile(r"\(?S(\d+)(?:\.(\d+))?\)?")
# What stands between two references of one citation.
_AND = re.compile(r"\s*(?:,|;|and\b)\s*(?=S\d)")


@dataclass
class Clause:
    id: str
    line: int
    begins: str
    cited_by: list[str] = field(default_factory=list)


class Spec:
    """The clauses of the page, in its order."""

    def __init__(self, text: str) -> None:
        self.clauses: dict[str, Clause] = {}
        self._section = ""
        self._items = 0
        paragraph_above = table_above = False
        for number, line in enumerate(text.splitlines(), 1):
            section = _SECTION.match(line)
            if section:
                self._section, self._items = section[1], 0
            elif not self._section or not line.strip():
                paragraph_above = table_above = False
            elif line.startswith("|"):
                # The first two lines of a table are its head.
                if table_above and not line.startswith("|---"):
                    self._add(self._row_name(line), number, line)
                table_above = True
            elif _ITEM.match(line):
                self._item(line, number)
            elif line.startswith("**") and not paragraph_above:
                self._add(line.removeprefix("**").partition("**")[0].rstrip(".:"), number, line)
            elif not line.startswith(" "):
                self.clauses.setdefault(self._section, Clause(self._section, number, line))

    def _item(self, line: str, number: int) -> None:
        match = _ITEM.match(line)
        assert match is not None
        self._items += 1
        rest = line[match.end() :]
        marked, label = _MARKED.match(rest), _LABEL.match(rest)
        if match[1]:
            self._add(None, number, rest)
        elif marked:
            name = marked[1] or re.split(r"[(=*]", marked[2])[0]
            self._add(name.rstrip(".:"), number, rest)
        else:
            self._add(label[1] if label else None, number, rest)

    def _row_name(self, line: str) -> str:
        cell = line.split("|")[1]
        marked = re.search(r"`(.+?)`", cell)
        return marked[1] if marked else cell.strip().partition(",")[0]

    def _add(self, name: str | None, line: int, text: str) -> None:
        wanted = f"{self._section} {name}" if name else f"{self._section}.{self._items}"
        found, again = wanted, 1
        while found in self.clauses:
            again += 1
            found = f"{wanted} {again}"
        self.clauses[found] = Clause(found, line, text)

    def cite(self, text: str, by: str) -> Iterator[str]:
        """Note the clauses that a text refers to, from its start on; give what refers to nothing."""
        at: int | None = 0
        while at is not None:
            match = _REFERENCE.match(text, at)
            if match is None:
                break
            section, rest = f"S{match[1]}", text[match.end() :]
            at = match.end()
            if match[2]:
                clause = f"{section}.{match[2]}"
            else:
                clause, length = self._named(section, rest)
                at += length
            if clause in self.clauses:
                self.clauses[clause].cited_by.append(by)
            elif not (clause == section and any(known.startswith(f"{section} ") for known in self.clauses)):
                yield f"{by}: there is no {clause}"
            between = _AND.match(text, at)
            at = between.end() if between else None

    def _named(self, section: str, rest: str) -> tuple[str, int]:
        """The item of the section whose name stands here, and how long it is; the section itself if none does."""
        opened = re.match(r" [«`\"]?", rest)
        if opened is None:
            return section, 0
        names = (known.removeprefix(f"{section} ") for known in self.clauses if known.startswith(f"{section} "))
        here = rest[opened.end() :]
        fits = [name for name in names if re.match(re.escape(name) + r"(?![\w/-])", here)]
        if not fits:
            return section, 0
        name = max(fits, key=len)
        closed = re.match(r"=?[»`\"]?", here[len(name) :])
        return f"{section} {name}", opened.end() + len(name) + (len(closed[0]) if closed else 0)


def texts() -> Iterator[tuple[str, str]]:
    """What may cite: where it stands, and the text from there on."""
    for path in sorted((REPOSITORY / "tests").rglob("*.py")):
        yield from cited(path, path.read_text())
    for path in sorted((REPOSITORY / "rust").rglob("*.rs")):
        text = path.read_text()
        if "tests" not in path.parts:
            # Of a source only its own tests.
            text = "".join(text.partition("#[cfg(test)]")[1:])
        yield from cited(path, text)
    for path in sorted((REPOSITORY / "tests" / "corpus").glob("*/*/case.json")):
        for reference in json.loads(path.read_bytes()).get("spec", ()):
            yield str(path.parent.relative_to(REPOSITORY)), reference


def cited(path: Path, text: str) -> Iterator[tuple[str, str]]:
    for match in _CITED.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        # A citation may go on in the next line.
        yield (
            f"{path.relative_to(REPOSITORY)}:{line}",
            re.sub(r"\n\s*(?:#|//[/!]?)?\s*", " ", text[match.end() :][:400]),
        )


def main() -> int:
    parser = argparse.ArgumentParser("clauses", description="Which tests cite which clause of the specification.")
    parser.add_argument("--all", action="store_true", help="list every clause with those who cite it")
    parser.add_argument("--of", help="list those who cite this clause")
    given = parser.parse_args()
    spec = Spec(SPEC.read_text())
    lost = [problem for by, text in texts() for problem in spec.cite(text, by)]
    clauses = list(spec.clauses.values())
    for clause in clauses:
        if given.all or clause.id == given.of:
            print(f"{clause.id}  ({len(clause.cited_by)})  {clause.begins[:90]}")
            print("".join(f"    {by}\n" for by in clause.cited_by), end="")
    uncited = [clause for clause in clauses if not clause.cited_by]
    for clause in uncited:
        print(f"no test cites {clause.id}  (line {clause.line}: {clause.begins[:90]})")
    print(*lost, sep="\n", end="\n" if lost else "")
    print(f"{len(clauses)} clauses, {len(uncited)} without a test")
    return 1 if uncited or lost else 0


if __name__ == "__main__":
    sys.exit(main())
