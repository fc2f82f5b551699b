"""The rates that the classes of a policy are guaranteed."""

from __future__ import annotations

from math import ceil, inf

from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface, default_bandwidth
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

DEFAULT_CLASS = "class-default"
QUANTUM = 1514
_MOST_QUANTUM = 60_000

_LINK_SHARE = 0.98
"""The share of the line rate that is used if the line has a queue of its own.

It is slightly less than 1, so that packets wait in the queues of the policy.
"""


def guarantees(bodies: dict[str, Section], rate: int, base: int) -> dict[str, int]:
    """Return the guaranteed share of ``rate`` of each class with a queue, in bit/s.

    Args:
        bodies: Classes by name.
        rate: What is shared.
        base: What percentages refer to.
    """
    fixed: dict[str, int] = {}
    for name, body in bodies.items():
        for line in _fixed_lines(body):
            if line is not None and not line.has("remaining"):
                if "kbit" in line.match.args:
                    fixed[name] = int(line["kbit"]) * 1000
                elif "percent" in line.match.args:
                    fixed[name] = base * int(line["percent"]) // 100
                else:
                    fixed[name] = rate // 2
    left = max(0, rate - sum(fixed.values()))
    weights = {name: _weight(body) for name, body in bodies.items() if name not in fixed}
    asking = {name: weight for name, weight in weights.items() if weight}
    percents = any(
        (line := body.get("bandwidth")) is not None and line.has("remaining") and "percent" in line.match.args
        for body in bodies.values()
    )
    others = [
        name
        for name, body in bodies.items()
        if name not in fixed
        and name not in asking
        and (
            name == DEFAULT_CLASS or body.has("shape average") or body.has("queue-limit") or body.has("service-policy")
        )
    ]
    pool = 100.0 - sum(asking.values()) if percents else float(len(others))
    total = sum(asking.values()) + (max(pool, 1.0) if others else 0.0)
    shares = dict(fixed)
    for name, weight in asking.items():
        shares[name] = int(left * weight / total)
    if others:
        shapes = {name: shape_of(bodies[name], base) for name in others}
        shares |= _equal_parts(left * max(pool, 1.0) / total, shapes)
    return shares


def _equal_parts(amount: float, shapes: dict[str, int | None]) -> dict[str, int]:
    """Return equal parts of an amount; a shaped class gets at most its shape, and the others get what it leaves."""
    parts: dict[str, int] = {}
    for name in sorted(shapes, key=lambda name: shapes[name] or inf):
        part = int(min(amount / (len(shapes) - len(parts)), shapes[name] or inf))
        parts[name] = part
        amount -= part
    return parts


def portions(bodies: dict[str, Section], shares: dict[str, int]) -> dict[str, int]:
    """Return how many bytes each class sends in its turn while classes share what others leave free.

    Where a class has a share of the remaining bandwidth, the turns are in proportion to these shares, so they also hold
    while a class with a fixed rate sends nothing. Classes that are not listed have equal turns.

    Args:
        bodies: Classes by name.
        shares: Guaranteed shares, in bit/s.
    """
    if not any(_weight(body) for body in bodies.values()):
        return {}
    flexible = {
        name: share
        for name, share in shares.items()
        if share > 0 and not any(line and not line.has("remaining") for line in _fixed_lines(bodies[name]))
    }
    least = min(flexible.values(), default=1)
    return {name: min(_MOST_QUANTUM, round(QUANTUM * share / least)) for name, share in flexible.items()}


def _fixed_lines(body: Section) -> tuple[Entry | None, Entry | None]:
    return body.get("priority"), body.get("bandwidth")


def _weight(body: Section) -> float:
    line = body.get("bandwidth")
    if line is None or not line.has("remaining"):
        return 0.0
    return float(line.get("percent") or line["ratio"])


def shape_of(body: Section, rate: int) -> int | None:
    """Return the rate to which a class is shaped, in bit/s."""
    line = body.get("shape average")
    if line is None:
        return None
    return ceil(rate * int(line["percent"]) / 100) if "percent" in line.match.args else int(line["bps"])


def line_rate(context: Context, where: Interface) -> int:
    """Return the line rate in bit/s: the lab's limit if there is one, else IOS's default for the interface.

    The command ``bandwidth`` only informs the router, it does not slow the line.
    """
    limited = context.facts.line_bps.get(str(where.parsed.parent))
    return int(limited * _LINK_SHARE) if limited else default_bandwidth(where.name) * 1000


def percent_base(context: Context, where: Interface) -> int:
    """Return what percentages refer to, in bit/s: the configured ``bandwidth``, or the line rate."""
    return where.bandwidth_kbit * 1000 if where.section.has("bandwidth") else line_rate(context, where)
