"""Time ranges: conditions on the router's clock, in UTC.

The kernel knows the machine's clock only. So a range is a set that a service fills while the range holds.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from pytest_netbench.platforms.cisco_ios.areas.acl.nft import slug
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.grammar.command import Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
from pytest_netbench.platforms.cisco_ios.grammar.types import matching, one

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_GROUPS = {"daily": range(7), "weekdays": range(5), "weekend": range(5, 7)}
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_MINUTE = timedelta(minutes=1)
TYPES = {
    "clock": one(
        "hh:mm", lambda text: _clock(text) if re.fullmatch(r"([01]?\d|2[0-3]):[0-5]\d", text) else None, "Time"
    ),
    "date": one("<1-31>", lambda text: f"{int(text):02d}" if text.isdigit() and 1 <= int(text) <= 31 else None),
    "day": matching("DAY", r"(?i)mon\w*|tue\w*|wed\w*|thu\w*|fri\w*|sat\w*|sun\w*"),
    "month": matching("MONTH", r"(?i)jan\w*|feb\w*|mar\w*|apr\w*|may|jun\w*|jul\w*|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*"),
}


def time_conditions(context: Context, name: str) -> list[str]:
    """Return the condition that holds during the time range. An unknown or empty range always holds."""
    entry = context.config.get("time-range", range=name)
    if entry is None:
        return [""]
    found = {
        "absolute": [_seconds(one) for one in entry.body.all("absolute")],
        "periodic": [words for one in entry.body.all("periodic") for words in _periodic(one)],
    }
    if not any(found.values()):
        return [""]
    known = f"during_{slug(name)}"
    vrfs = [str(one["vrf"]) for one in context.config.all("ip vrf", "vrf definition")]
    context.state.nft.last("inet", "set", known, "type nf_proto;")
    service = context.state.services.setdefault("times", {"ranges": {}, "vrfs": vrfs})
    service["ranges"][known] = found
    return [f"meta nfproto @{known}"]


def holds(config: Section, name: str, now: datetime) -> bool:
    """Whether a time range holds at ``now``."""
    entry = config.get("time-range", range=name)
    if entry is None:
        return True
    absolute, periodic = entry.body.all("absolute"), entry.body.all("periodic")
    inside = all(start <= now <= end for start, end in (_bounds(one) for one in absolute))
    return inside and (not periodic or any(_within(one, now) for one in periodic))


def _periodic(entry: Entry) -> list[tuple[list[int], int, int]]:
    return [(sorted(days), _second(start), _second(end) + 1) for days, start, end in spans(entry)]


def _second(text: str) -> int:
    hours, minutes, seconds = map(int, text.split(":"))
    return (hours * 60 + minutes) * 60 + seconds


def spans(entry: Entry) -> list[tuple[frozenset[int], str, str]]:
    """Return a periodic line as (days, first second, last second) tuples that do not cross midnight."""
    start, end = _clock(entry["start"]), _clock(entry["end"])
    if "last" in entry.match.args:
        first, last = DAYS.index(_day(entry["first"])), DAYS.index(_day(entry["last"]))
        if first == last:
            return [(frozenset({first}), f"{start}:00", f"{end}:59")]
        between = frozenset((first + step) % 7 for step in range(1, (last - first) % 7))
        found = [(frozenset({first}), f"{start}:00", "23:59:59"), (frozenset({last}), "00:00:00", f"{end}:59")]
        return [*found, *([(between, "00:00:00", "23:59:59")] if between else [])]
    return [(days_of(entry), f"{start}:00", f"{end}:59")]


def days_of(entry: Entry) -> frozenset[int]:
    """Return the days of a periodic line that names them one by one or as a group. Monday is 0."""
    for word, days in _GROUPS.items():
        if entry.has(word):
            return frozenset(days)
    return frozenset(DAYS.index(_day(word)) for word in entry.many("first"))


def _within(entry: Entry, now: datetime) -> bool:
    clock = now.strftime("%H:%M:%S")
    return any(now.weekday() in days and start <= clock <= end for days, start, end in spans(entry))


def _day(word: str) -> str:
    return next(day for day in DAYS if day.lower().startswith(word.lower()))


def _clock(text: str) -> str:
    return text.zfill(5)


def _bounds(entry: Entry) -> tuple[datetime, datetime]:
    first, last = datetime(1993, 1, 1, tzinfo=UTC), datetime(2035, 12, 31, 23, 59, 59, tzinfo=UTC)
    start = _moment(entry, "start") or first
    end = _moment(entry, "end")
    return start, last if end is None else end + _MINUTE - timedelta(seconds=1)


def _moment(entry: Entry, side: str) -> datetime | None:
    if f"{side}_time" not in entry.match.args:
        return None
    hour, minute = (int(part) for part in entry[f"{side}_time"].split(":"))
    month = _month(entry[f"{side}_month"])
    return datetime(entry[f"{side}_year"], month, int(entry[f"{side}_day"]), hour, minute, tzinfo=UTC)


def _month(word: str) -> int:
    return next(at for at, name in enumerate(_MONTHS, start=1) if name.lower().startswith(word.lower()[:3]))


def _seconds(entry: Entry) -> tuple[int, int]:
    start, end = _bounds(entry)
    return int(start.timestamp()), int(end.timestamp()) + 1


def _store_absolute(edit: Edit, match: Match) -> str | None:
    parts = [f"{side} {_moment_text(match, side)}" for side in ("start", "end") if f"{side}_time" in match.args]
    if match.negated or match.reset:
        return edit.keep(edit.read(" ".join(["absolute", *parts]), like=match))
    try:
        start, end = _bounds(Entry(match, edit.section))
    except (ValueError, StopIteration):
        return "% Invalid time"
    if end < start:
        return "% The end time must be later than the start time"
    edit.put(" ".join(["absolute", *parts]))
    return None


def _moment_text(match: Match, side: str) -> str:
    clock, month = _clock(match[f"{side}_time"]), _MONTHS[_month(match[f"{side}_month"]) - 1]
    return f"{clock} {match[f'{side}_day']} {month} {match[f'{side}_year']}"


def _store_periodic(edit: Edit, match: Match) -> str | None:
    if match.negated or match.reset:
        return edit.keep(match)
    start, end = _clock(match["start"]), _clock(match["end"])
    if "last" not in match.args and end <= start:
        return "% The end time must be later than the start time"
    group = next((word for word in _GROUPS if match.has(word)), None)
    days = group or " ".join(_day(word) for word in match.many("first"))
    last = f"{_day(match['last'])} " if "last" in match.args else ""
    text = f"periodic {days} {match['start']} to {last}{match['end']}"
    if all(entry.text != text for entry in edit.section):
        edit.put(text)
    return None


def show_lines(config: Section, entry: Entry, now: datetime) -> list[str]:
    """Return the output of ``show time-range`` for one range."""
    state = "active" if holds(config, entry["range"], now) else "inactive"
    lines = [f"time-range entry: {entry['range']} ({state})", *(f"   {one.text}" for one in entry.body)]
    used = _users(config, entry["range"])
    return [*lines, *(f"   used in: {kind} ACL entry" for kind in used)]


def _users(config: Section, name: str) -> list[str]:
    found: list[str] = []
    for kind, lists in (("IP", ("access-list", "ip access-list extended")), ("IPv6", ("ipv6 access-list",))):
        for _, body in config.sections(*lists):
            found += [kind for one in body if one.get("during") == name]
    return found


MODES = (Mode(name="time-range", prompt="config-time-range", help="time range"),)
COMMANDS = table(
    setting("time-range {range!:name}", "Define time range entries", opens="time-range"),
    setting(
        (
            "absolute [ start {start_time:clock} {start_day:date} {start_month:month} {start_year:1993-2035} ] "
            "[ end {end_time:clock} {end_day:date} {end_month:month} {end_year:1993-2035} ]"
        ),
        "absolute time and date",
        edit=_store_absolute,
        mode="time-range",
    ),
    setting(
        "periodic ( daily | weekdays | weekend | {first!:day}+ ) {start!:hhmm} to [ {last!:day} ] {end!:hhmm}",
        "periodic time and date",
        name="periodic",
        edit=_store_periodic,
        mode="time-range",
    ),
)
