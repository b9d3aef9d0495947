"""`python -m stream_guard_conformance`: try the fault grammar on a guard."""

from __future__ import annotations

import sys

from .run import main

if __name__ == "__main__":
    sys.exit(main())
