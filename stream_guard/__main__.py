"""`python -m stream_guard`: the command `stream-guard`."""

import sys

from .command.cli import main

if __name__ == "__main__":
    sys.exit(main())
