"""The nftables ruleset as lines of a running config. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_QUOTED = re.compile(r'"[^"]*"')


def ruleset_lines(text: str) -> list[str]:
    """``nft -s list ruleset`` with one space per level and no closing braces; elements learnt from packets left out."""
    lines: list[str] = []
    depth = 0
    dynamic_at: int | None = None
    for raw in _joined(text):
        line = " ".join(raw.split())
        if line == "}":
            depth -= 1
            if dynamic_at is not None and depth <= dynamic_at:
                dynamic_at = None
            continue
        if line.startswith("flags ") and "dynamic" in line:
            dynamic_at = depth - 1
        if dynamic_at is not None and line.startswith("elements = "):
            continue
        parts = line.split("; ") if line.startswith("type ") else [line]
        lines += [" " * depth + part.removesuffix("{").rstrip(" ;") for part in parts]
        depth += line.endswith("{")
    return lines


def _joined(text: str) -> Iterator[str]:
    """Logical lines: what nft breaks inside braces is put back together."""
    pending = ""
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        pending = f"{pending} {line}" if pending else line
        bare = _QUOTED.sub("", pending)
        if bare.endswith("{") and "=" not in bare:
            bare = bare.removesuffix("{")
        if bare.count("{") == bare.count("}") or pending == "}":
            yield pending
            pending = ""
    if pending:
        yield pending
