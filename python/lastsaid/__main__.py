"""`python -m lastsaid` is the command `lastsaid`."""

import sys

from lastsaid.cli import main

if __name__ == "__main__":
    sys.exit(main())
