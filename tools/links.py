"""Check that every relative link in the project's Markdown leads to a file that is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, text=True,
                            capture_output=True, check=True).stdout.split()  # fmt: skip
    links = 0
    broken = []
    for name in listed:
        page = ROOT / name
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            if "://" in target or target.startswith("mailto:"):
                continue
            links += 1
            if not (page.parent / target).exists():
                broken.append(f"{name}: {target} is not there")
    if not links:
        broken.append("no links were found: is this the project's root?")
    print("\n".join(broken) or f"{links} links in {len(listed)} pages", file=sys.stderr if broken else sys.stdout)
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
