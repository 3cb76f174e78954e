"""Makes the helpers of this folder importable; the package itself is the installed wheel."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
