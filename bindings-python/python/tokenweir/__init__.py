"""An exact rate limiter: token buckets and fixed cycles in integer arithmetic.

Seconds are ints, floats or ``timedelta``; a float is taken as the decimal it is written as. Names that
end in ``_ns`` are whole nanoseconds. Waits are rounded up: asked again at that nanosecond, the call is
granted. *Never* (None) and *not yet* are different answers.
"""

from __future__ import annotations

from tokenweir import _coroutines
from tokenweir import errors as errors
from tokenweir import http as http
from tokenweir._inheritance import TokensInheritance
from tokenweir._native import (
    Backoff,
    Bandwidth,
    CycleConfig,
    Decision,
    Estimate,
    FixedCycle,
    JointDecision,
    KeyedLimiter,
    LevelSnapshot,
    LimitStatus,
    Limiter,
    Limits,
    ManualClock,
    MonotonicClock,
    Probe,
    Reservation,
    Retry,
    Suppressed,
    SystemClock,
    TokenBucket,
    __version__,
    check_all,
    reserve_all,
)
from tokenweir.errors import (
    AmountError,
    ConfigError,
    DurationError,
    GiveUp,
    LimitSyntaxError,
    QueueFull,
    RateLimited,
    ReservationError,
    StateError,
    StoreError,
    TokenweirError,
    TooManyKeys,
)

_coroutines.attach()

__all__ = [
    "AmountError",
    "Backoff",
    "Bandwidth",
    "ConfigError",
    "CycleConfig",
    "Decision",
    "DurationError",
    "Estimate",
    "FixedCycle",
    "GiveUp",
    "JointDecision",
    "KeyedLimiter",
    "LevelSnapshot",
    "LimitStatus",
    "LimitSyntaxError",
    "Limiter",
    "Limits",
    "ManualClock",
    "MonotonicClock",
    "Probe",
    "QueueFull",
    "RateLimited",
    "Reservation",
    "ReservationError",
    "Retry",
    "StateError",
    "StoreError",
    "Suppressed",
    "SystemClock",
    "TokenBucket",
    "TokensInheritance",
    "TokenweirError",
    "TooManyKeys",
    "__version__",
    "check_all",
    "errors",
    "http",
    "reserve_all",
]
