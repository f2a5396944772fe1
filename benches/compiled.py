"""The C extension of floor_calls.c, built with this machine's compiler when it is first asked for."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

SOURCE: Final = Path(__file__).with_name("floor_calls.c")
# Inside the environment that runs this, where nothing is committed.
FOLDER: Final = Path(sys.prefix) / "lastsaid-bench"


class NoCompilerError(Exception):
    """There is no C compiler here, or it can't build an extension; says why."""


@cache
def floor_calls() -> ModuleType:
    """The module. Raises NoCompilerError."""
    built = FOLDER / f"floor_calls{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not built.exists() or built.stat().st_mtime < SOURCE.stat().st_mtime:
        _build(built)
    spec = importlib.util.spec_from_file_location("floor_calls", built)
    if spec is None or spec.loader is None:
        raise NoCompilerError("the built extension can't be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def missing() -> str | None:
    """Why the floor of calls can't be measured; None if it can."""
    try:
        floor_calls()
    except NoCompilerError as error:
        return str(error)
    return None


def _build(built: Path) -> None:
    compiler = shlex.split(os.environ.get("CC") or "cc")
    if shutil.which(compiler[0]) is None:
        raise NoCompilerError(f"there is no C compiler here ({compiler[0]})")
    built.parent.mkdir(exist_ok=True)
    include = sysconfig.get_path("include")
    flags = ["-O3", "-fPIC", "-shared", "-Wall", "-Wextra", "-Wno-missing-field-initializers", f"-I{include}"]
    if sys.platform == "darwin":
        flags += ["-undefined", "dynamic_lookup"]
    done = subprocess.run([*compiler, *flags, str(SOURCE), "-o", str(built)], capture_output=True, text=True)
    if done.returncode:
        raise NoCompilerError(f"the C compiler can't build an extension: {done.stderr.strip().splitlines()[-1:]}")
    if done.stderr:
        print(done.stderr, file=sys.stderr)
