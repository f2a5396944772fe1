"""Make the benches' own environment: `python tools/bench_environment.py VENV [--peers] [--wheel MATURIN]`.

What the benches need is the dependency group `bench`; the peers of benches/peers.txt are installed one by one, so that
one that doesn't install is missing alone, and the page says so.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 600


def pip(python: Path, *arguments: str, required: bool) -> bool:
    command = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *arguments]
    try:
        done = subprocess.run(command, cwd=ROOT, timeout=SECONDS, capture_output=not required, text=True)
    except subprocess.TimeoutExpired:
        done = subprocess.CompletedProcess(command, 1)
    if done.returncode and required:
        raise SystemExit(done.returncode)
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the benches' own environment.")
    parser.add_argument("venv", type=Path)
    parser.add_argument("--peers", action="store_true", help="also what the engine is compared with")
    parser.add_argument("--wheel", type=Path, metavar="MATURIN", help="build a release wheel and install it")
    options = parser.parse_args()
    python = options.venv / "bin" / "python"
    if not python.exists():
        venv.create(options.venv, with_pip=True)
        pip(python, "--upgrade", "pip>=25.1", required=True)
    pip(python, "--group", "bench", required=True)
    if options.peers:
        for line in (ROOT / "benches" / "peers.txt").read_text(encoding="utf-8").splitlines():
            peer = line.partition("#")[0].strip()
            # A peer that has to be compiled would need more than this machine may have.
            if peer and not pip(python, "--only-binary", ":all:", peer, required=False):
                print(f"{peer} does not install here: it is reported as missing", file=sys.stderr)
    if options.wheel:
        with tempfile.TemporaryDirectory() as folder:
            build = [options.wheel, "build", "-q", "--release", "--interpreter", python.absolute(), "--out", folder]
            subprocess.run(build, cwd=ROOT, check=True)
            (wheel,) = Path(folder).iterdir()
            pip(python, "--force-reinstall", "--no-deps", str(wheel), required=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
