"""Lines of a log in Common or Combined Log Format."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timezone
from functools import lru_cache
from typing import Final, NamedTuple

__all__ = ["KEYS", "BadLine", "Request", "request"]

SECOND_NS: Final = 1_000_000_000
EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
# What Unicode calls white space; `str.strip()` by itself takes four control characters more.
SPACES: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
# Each part can match in one way only, so that a line either is a request or is not.
LINE: Final = re.compile(
    rf"""
    ([^\ ]+) (?: [ ] (?!\[) [^\ ]* )*           # client, identity, user
    [ ] \[ ([^\]]*) \]                          # time
    [{SPACES}]* " ([^"\\]* (?: \\. [^"\\]* )*) "  # request; `\` makes the next character a plain one
    [{SPACES}]* ([0-9]{{3}}) (?![^{SPACES}])     # status
    """,
    re.VERBOSE | re.DOTALL,
)
QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
TARGET_END: Final = re.compile("[?#]")
MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
TIME: Final = re.compile(
    r"""
    \s*(\d{1,2}) / (jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec) / ([+-]?)\s*(\d{1,4})
    : \s*(\d{1,2}) : \s*(\d{1,2}) : \s*(\d{1,2})
    \s* ([+-]) (\d\d) ([0-5]\d) ([0-5]\d)?
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)

NO_TIME: Final = "the time is not one, such as 17/May/2015:10:05:03 +0000"
OUTSIDE: Final = "the time is outside the years 1970 to 2554"


class Request(NamedTuple):
    """A line of the log."""

    at_ns: int
    """Nanoseconds since the Unix epoch."""
    key: str


class BadLine(Exception):
    """A line that is no request, and why."""


def request(line: str, key: Callable[[str, str, str], str]) -> Request:
    """``client identity user [day/month/year:hour:minute:second zone] "request" status size …``

    The key is made of the client, what was asked for and the status. Raises `BadLine`.
    """
    parts = LINE.match(line)
    if parts is None:
        raise BadLine(problem(line))
    client, time, asked, status = parts.groups()
    return Request(nanoseconds(time), key(client, asked, status))


def problem(line: str) -> str:
    """What is wrong with a line that is no request: the first thing from left to right."""
    before, bracket, rest = line.partition(" [")
    if not bracket:
        return "no time in brackets"
    if not before.partition(" ")[0]:
        return "no client before the time"
    time, bracket, rest = rest.partition("]")
    if not bracket:
        return "no end of the time"
    nanoseconds(time)
    rest = rest.lstrip(SPACES)
    if not rest.startswith('"'):
        return "no request in quotes"
    if not QUOTED.match(rest):
        return "no end of the request"
    return "no status after the request"


# A log has many lines of the same second.
@lru_cache(maxsize=64)
def nanoseconds(time: str) -> int:
    """The time within the brackets, as nanoseconds since the Unix epoch."""
    parts = TIME.fullmatch(time)
    if parts is None:
        raise BadLine(NO_TIME)
    day, month, sign, year, hour, minute, second, ahead, *zone = parts.groups()
    zone_hour, zone_minute, zone_second = (int(part or 0) for part in zone)
    if zone_hour > 25:
        raise BadLine(NO_TIME)
    if sign == "-" or int(year) < 1:
        raise BadLine(OUTSIDE)
    try:
        # A leap second is taken as the one before.
        local = datetime(
            int(year),
            MONTHS.index(month.lower()) + 1,
            int(day),
            int(hour),
            int(minute),
            59 if second == "60" else int(second),
            tzinfo=timezone.utc,
        )
    except ValueError:
        raise BadLine(NO_TIME) from None
    since = local - EPOCH
    offset = zone_hour * 3600 + zone_minute * 60 + zone_second
    seconds = since.days * 86_400 + since.seconds + (offset if ahead == "-" else -offset)
    if not 0 <= seconds * SECOND_NS < 2**64:
        raise BadLine(OUTSIDE)
    return seconds * SECOND_NS


def path(asked: str) -> str:
    """``GET /path?query HTTP/1.1``: the path without the query."""
    parts = asked.split(" ", 2)
    return TARGET_END.split(parts[1] if len(parts) > 1 else asked, maxsplit=1)[0]


KEYS: Final[dict[str, Callable[[str, str, str], str]]] = {
    "client": lambda client, _asked, _status: client,
    "path": lambda _client, asked, _status: path(asked),
    "status": lambda _client, _asked, status: status,
    "all": lambda _client, _asked, _status: "all",
}
"""What has limits of its own, by name."""
