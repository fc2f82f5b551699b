"""Compile the areas of an OSPF process: their types, ranges, filters and virtual links."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network

from pytest_netbench.platforms.cisco_ios.areas.ospf.process import (
    dotted,
    is_special,
    secret,
)
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

AUTH_KEY_LENGTH = 8
MD5_KEY_LENGTH = 16
Lines = Iterable[tuple[str, str, str | None]]


def compile_areas(section: Section) -> Lines:
    """Return the lines of all areas."""
    for entry in section:
        if "area" not in entry.match.args or entry.negated:
            continue
        area = f"area {dotted(entry['area'])}"
        if entry.name == "area authentication":
            yield (
                f"{area} authentication{' message-digest' if entry.has('message-digest') else ''}",
                "",
                f"no {area} authentication",
            )
        elif entry.name in {"area stub", "area nssa"}:
            yield from _special(entry, f"{area} {entry.name.split()[1]}")
            for cost in section.all("area default-cost"):
                # without effect in other areas, where ospfd refuses it
                if dotted(cost["area"]) == dotted(entry["area"]):
                    yield f"{area} default-cost {cost['cost']}", f"{area} default-cost", None
        elif entry.name == "area range":
            yield _range(entry, area)
        elif entry.name.startswith("area filter-list"):
            way = entry.name.split()[-1]
            yield f"{area} filter-list prefix {entry['list']} {way}", "", None
        elif entry.name == "area virtual-link" and not is_special(section, entry):
            yield from _virtual_link(entry, area)


def _special(entry: Entry, line: str) -> Lines:
    if entry.has("always"):
        yield f"{line} translate-always", line, f"no {line}"
    else:
        yield line, line, f"no {line}"
    if entry.has("no-summary"):
        yield f"{line} no-summary", "", None
    if entry.has("default-information-originate"):
        words = [f"{line} default-information-originate"]
        words += [f"metric {entry['metric']}"] if "metric" in entry.match.args else []
        words += [f"metric-type {entry['type']}"] if "type" in entry.match.args else []
        yield " ".join(words), "", f"no {line} default-information-originate"


def _range(entry: Entry, area: str) -> tuple[str, str, str | None]:
    line = f"{area} range {IPv4Network((entry['prefix'], entry['mask']))}"
    if entry.has("not-advertise"):
        return f"{line} not-advertise", "", f"no {line}"
    cost = f" advertise cost {entry['cost']}" if "cost" in entry.match.args else ""
    return line + cost, "", f"no {line}"


def _virtual_link(entry: Entry, area: str) -> Lines:
    line = f"{area} virtual-link {entry['router']}"
    yield line, "", None
    words = {
        "hello": "hello-interval",
        "dead": "dead-interval",
        "retransmit": "retransmit-interval",
        "delay": "transmit-delay",
    }
    timers = [f"{word} {entry[name]}" for name, word in words.items() if name in entry.match.args]
    for timer in timers:
        yield f"{line} {timer}", "", None
    if entry.has("authentication"):
        kind = next((f" {word}" for word in ("message-digest", "null") if entry.has(word)), "")
        yield f"{line} authentication{kind}", "", f"no {line} authentication"
    if "secret" in entry.match.args:
        key = f"{line} authentication-key {secret(entry, 'secret')[:AUTH_KEY_LENGTH]}"
        yield key, "", None
    if "key" in entry.match.args:
        yield f"{line} message-digest-key {entry['id']} md5 {secret(entry, 'key')[:MD5_KEY_LENGTH]}", "", None
