"""Build the wheel and the source distribution, install each into an environment of its own, and try it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOG = ROOT / "docs" / "examples" / "lost-answer.jsonl"
ANSWER = "ROOT PARTIAL.\n"


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=environment, text=True, stdout=subprocess.PIPE)
    if done.returncode:
        raise SystemExit(f"{' '.join(str(word) for word in command)} ended with {done.returncode}\n{done.stdout}")
    return done.stdout


def try_out(package: Path, folder: Path) -> None:
    """Install a package and ask it the question; the folder is not the checkout, so nothing else is imported."""
    home = folder / package.suffix.strip(".")
    venv.create(home, with_pip=True)
    run(home / "bin" / "python", "-m", "pip", "install", "-q", "--no-deps", package, cwd=folder)
    version = run(home / "bin" / "lastsaid", "--version", cwd=folder)
    answer = run(home / "bin" / "lastsaid", LOG, cwd=folder)
    if "rust engine" not in version or answer != ANSWER:
        raise SystemExit(f"{package.name}: {version!r}, {answer!r}")
    print(f"{package.name}: {version.strip()}")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        maturin = Path(sys.executable).with_name("maturin")
        run(maturin, "build", "-q", "--release", "--sdist", "--out", folder / "dist")
        packages = sorted((folder / "dist").iterdir())
        if sorted(package.suffix for package in packages) != [".gz", ".whl"]:
            raise SystemExit(f"expected a wheel and an sdist, found {[package.name for package in packages]}")
        for package in packages:
            try_out(package, folder)


if __name__ == "__main__":
    main()
