from __future__ import annotations

import enum

__all__ = ["TokensInheritance"]


class TokensInheritance(enum.Enum):
    """What becomes of the tokens when limits are replaced.

    Limits are matched by id or name; one that matches none starts fresh. All ratios are exact and
    rounded down.
    """

    AS_IS = "as_is"
    """Keep the tokens, at most the new capacity."""
    PROPORTIONAL = "proportional"
    """Keep the ratio of tokens to capacity: 6 of 10 become 12 of 20. A debt scales as well."""
    ADDITIVE = "additive"
    """Add the growth of the capacity: 40 of 100 become 140 of 200."""
    RESET = "reset"
    """Start fresh."""
