"""The command line: ``python -m tokenweir``."""

from __future__ import annotations

import sys

from tokenweir._cli import main

if __name__ == "__main__":
    sys.exit(main())
