"""`--version`: the package, the engine that would read, and the rule it follows."""

from __future__ import annotations

from lastsaid._protocol import Engine


def version_line(engine: Engine) -> str:
    # Slow to import and wanted here only.
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version("lastsaid")
    except PackageNotFoundError:
        # A checkout on the path. The number stands in Cargo.toml only, which an installed package hasn't.
        number = "0+source"
    return f"lastsaid {number} ({engine.ENGINE} engine, rule version {engine.RULE_VERSION})"
