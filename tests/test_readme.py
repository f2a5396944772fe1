"""What the README shows is what happens: its blocks are run and their output compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def run(command: str) -> str:
    """A command line as the README's reader types it, in the environment that these tests run in."""
    scripts = str(Path(sys.executable).parent)
    environment = os.environ | {"PATH": scripts + os.pathsep + os.environ["PATH"], "LASTSAID_ENGINE": "rust"}
    done = subprocess.run(
        command, shell=True, cwd=ROOT, env=environment, text=True, capture_output=True, timeout=30, check=False
    )
    return done.stdout + done.stderr


def consoles() -> list[tuple[str, str]]:
    """Each command of the console blocks with the output below it."""
    found = []
    for kind, block in BLOCKS:
        if kind == "console":
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((command, output))
    return found


@pytest.mark.parametrize(("command", "output"), consoles())
def test_a_command_prints_what_is_shown(command, output):
    if command == "make demo":
        command = f"{sys.executable} docs/examples/lost_answer.py"
    assert run(command) == output


def test_the_python_blocks_print_what_their_comments_say(monkeypatch, capsys):
    block = "\n".join(block for kind, block in BLOCKS if kind == "python")
    monkeypatch.chdir(ROOT)
    exec(compile(block, "README.md", "exec"), {})
    said = capsys.readouterr().out.splitlines()
    shown = re.findall(r"^print\(.*\)\s+# (.*)$", block, re.MULTILINE)
    assert len(shown) == 9
    for line, comment in zip(said, shown, strict=True):
        # A comment may go on with a remark after a colon.
        assert line == comment or comment.startswith(line + ":")
