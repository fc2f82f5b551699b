"""Traffic control as lines of a running config: qdiscs, classes, filters. Pure; input is the plain text of ``tc``."""

from __future__ import annotations

import re
from ipaddress import IPv4Network

_FRESH_QDISCS = {"noqueue", "mq", "noop"}
_CLASSFUL = {"htb", "hfsc", "drr", "qfq", "cbq", "ets"}
_VOLATILE = tuple(
    re.compile(pattern)
    for pattern in (
        r" refcnt \d+",
        r" r2q 10\b",
        r" direct_(?:packets_stat|qlen) \d+",
        r" chain 0\b",
        r" fh \S+",
        r" order \d+(?= key)",
        r" key ht \S+ bkt \S+",
        r" (?:not_in_hw|in_hw in_hw_count \d+|terminal)\b",
        r" index \d+\b",
        r" ref \d+ bind \d+\b",
        r" (?:installed|used|firstused) \d+ sec\b",
        r" overhead 0b",
        r" \*?flowid \?\?\?",
        r" \*?flowid(?= *$)",
        r" -{4,}",
        r" parent ffff:fff1\b",
        r"(?<=police) 0x[0-9a-f]+",
    )
)
_GIVEN_HANDLE = re.compile(r"^(qdisc \w+) [89a-f][0-9a-f]{3}:")
_HEADER = re.compile(
    r"^filter .*\b(?:u32|flower|fw|basic|matchall|cgroup|flow|bpf)(?: chain 0)?\s*(?:fh \S+ ht divisor \d+)?\s*$"
)
_U32_KEY = re.compile(r"^match ([0-9a-f]{8})/([0-9a-f]{8}) at (nexthdr\+)?(\d+)$")
_ONLY_NUMBERS = re.compile(r"(?:index|ref|bind|\d|\s)+")


def qdiscs(text: str) -> dict[str, list[str]]:
    """Interface to its queueing disciplines that are not the kernel's own choice, from ``tc qdisc show``."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) > 4 and words[0] == "qdisc" and words[1] not in _FRESH_QDISCS and words[2] != "0:":
            described = _stable(" ".join([*words[:3], *words[5:]]))
            found.setdefault(words[4], []).append(_GIVEN_HANDLE.sub(r"\1", described))
    return found


def class_lines(text: str) -> list[str]:
    """``tc class show dev X``, sorted by class id; those that a classless qdisc shows of itself left out."""
    lines = [_stable(line) for line in text.splitlines() if line.startswith("class ") and line.split()[1] in _CLASSFUL]
    return sorted(lines, key=_class_key)


def _class_key(line: str) -> tuple[int, int]:
    major, _, minor = line.split()[2].partition(":")
    return int(major or "0", 16), int(minor or "0", 16)


def filter_lines(text: str) -> list[str]:
    """``tc filter show``: one line per filter, what it matches and does indented under it."""
    lines = []
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("filter "):
            if not _HEADER.match(line):
                lines.append(_stable(_without_handle(line)))
        elif line and (words := _stable(" " + _readable(line))) and not _ONLY_NUMBERS.fullmatch(words):
            lines.append(f" {words}")
    return lines


def _without_handle(line: str) -> str:
    # for fw a handle is the mark, for all others the kernel's own number
    return line if " fw " in line else re.sub(r" handle \S+", "", line)


def _readable(line: str) -> str:
    """A u32 key of an IPv4 header in the words it is typed in, others as they are."""
    key = _U32_KEY.match(line)
    if key is None:
        return line
    value, mask, at = int(key[1], 16), int(key[2], 16), int(key[4]) + (20 if key[3] else 0)
    if at in {12, 16} and _is_prefix(mask):
        return f"match ip {'src' if at == 12 else 'dst'} {IPv4Network((value, mask.bit_count()))}"
    field = {
        (0, 0x00FF0000): "tos",
        (8, 0x00FF0000): "protocol",
        (8, 0xFF000000): "ttl",
        (20, 0xFFFF0000): "sport",
        (20, 0x0000FFFF): "dport",
    }
    for (offset, whole), name in field.items():
        if at == offset and mask and mask & ~whole == 0:
            shift = (whole & -whole).bit_length() - 1
            shown = hex(value >> shift) if name == "tos" else str(value >> shift)
            return f"match ip {name} {shown} {hex(mask >> shift)}"
    return line


def _is_prefix(mask: int) -> bool:
    inverted = ~mask & 0xFFFFFFFF
    return inverted & (inverted + 1) == 0


def _stable(line: str) -> str:
    """``line`` without counters, reference counts and numbers the kernel gave."""
    for pattern in _VOLATILE:
        line = pattern.sub("", line)
    return " ".join(line.replace("*flowid", "flowid").split())
