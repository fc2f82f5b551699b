"""The HTB tree of an output policy: a queue for each class with queueing, and one for all other classes."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf

from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface, default_bandwidth
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

_DEFAULT = "class-default"
_QUEUE_PACKETS = 64
_LEAST_BPS = 8000
_QUANTUM = 1514
_MOST_QUANTUM = 60_000
_LINK_SHARE = 0.98
"""The share of the line rate that is used if the line has a queue of its own.

It is slightly less than 1, so that packets wait in the queues of the policy.
"""


@dataclass
class _Node:
    minor: int
    parent: int
    rate: int
    ceiling: int
    strict: bool = False
    limit: int = _QUEUE_PACKETS
    leaf: bool = True
    quantum: int = _QUANTUM


class Queues:
    """The queues of a policy on an interface; empty if the policy has no queueing."""

    def __init__(self, context: Context, where: Interface, policy: str) -> None:
        self._config = context.config
        self._where = where
        self._nodes: list[_Node] = []
        self._minors: dict[tuple[str, ...], int] = {}
        line = line_rate(context, where)
        if self._queues_at_all(policy):
            root = self._add(_Node(1, 0, line, line, leaf=False))
            self._policy(policy, (), root, line, percent_base(context, where))

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the lines for ``tc -batch``."""
        if not self._nodes:
            return ()
        device = self._where.kernel
        # Rules choose the queue of each IP packet. What they do not see goes past the queues: a full one would drop the
        # answers to ARP, and nothing could be sent to the router any more.
        lines = [f"qdisc add dev {device} root handle 1: htb default 0"]
        for node in self._nodes:
            parent = "1:" if node.parent == 0 else f"1:{node.parent:x}"
            prio = f" prio {0 if node.strict else 1}" if node.leaf else ""
            lines.append(
                f"class add dev {device} parent {parent} classid 1:{node.minor:x} htb rate {node.rate}bit ceil"
                f" {node.ceiling}bit quantum {node.quantum}{prio}"
            )
        lines += [
            f"qdisc add dev {device} parent 1:{node.minor:x} pfifo limit {node.limit}"
            for node in self._nodes
            if node.leaf
        ]
        return tuple(lines)

    def minor(self, path: tuple[str, ...]) -> int | None:
        """Return the number of the queue of the class at ``path``; ``None`` if the policy has no queues."""
        return self._minors.get(path) if self._nodes else None

    def _queues_at_all(self, policy: str) -> bool:
        for body in self._bodies(policy):
            child = body[1].get("service-policy")
            if any(body[1].has(name) for name in ("priority", "bandwidth", "shape average", "queue-limit")):
                return True
            if child is not None and self._queues_at_all(str(child["policy"])):
                return True
        return False

    def _bodies(self, policy: str) -> list[tuple[str, Section]]:
        entry = self._config.get("policy-map", name=policy)
        found = [(str(line["name"]), body) for line, body in entry.body.sections("class")] if entry else []
        if all(name != _DEFAULT for name, _ in found):
            found.append((_DEFAULT, Section(mode="pmap-c", parent=None)))
        return found

    def _add(self, node: _Node) -> _Node:
        self._nodes.append(node)
        return node

    def _policy(self, policy: str, path: tuple[str, ...], parent: _Node, rate: int, base: int) -> int:
        """Add the queues of one policy below ``parent``; return the number of its default queue.

        Args:
            policy: Its name.
            path: The classes above it.
            parent: The class whose rate is shared.
            rate: That rate in bit/s.
            base: What percentages refer to, in bit/s.
        """
        bodies = self._bodies(policy)
        shares = guarantees(dict(bodies), rate, base)
        quanta = portions(dict(bodies), shares)
        numbers: dict[str, int] = {}
        strict = [name for name, body in bodies if body.has("priority")]
        others = self._others(parent, rate, rate - sum(shares[name] for name in strict)) if strict else parent
        for name, body in bodies:
            own = name == _DEFAULT or name in shares
            if own:
                numbers[name] = self._class(
                    body,
                    (*path, name),
                    parent if name in strict else others,
                    rate=rate,
                    base=base,
                    share=max(_LEAST_BPS, shares.get(name, 0)),
                    quantum=quanta.get(name, _QUANTUM),
                )
        for name, _ in bodies:
            # classes without a queue share the queue of class-default
            self._minors.setdefault((*path, name), numbers.get(name, numbers[_DEFAULT]))
        return numbers[_DEFAULT]

    def _others(self, parent: _Node, rate: int, left: int) -> _Node:
        """Add what stands above all classes without priority.

        HTB lends what a class leaves to its siblings first. So it goes to those that wait here, and to the classes with
        priority only if none does.
        """
        return self._add(_Node(self._next, parent.minor, max(_LEAST_BPS, left), rate, leaf=False))

    @property
    def _next(self) -> int:
        return len(self._nodes) + 0x10

    def _class(
        self, body: Section, path: tuple[str, ...], parent: _Node, *, rate: int, base: int, share: int, quantum: int
    ) -> int:
        shaped = shape_of(body, base)
        ceiling = min(rate, shaped) if shaped else rate
        limit = body.get("queue-limit")
        node = self._add(
            _Node(
                self._next,
                parent.minor,
                min(share, ceiling),
                ceiling,
                body.has("priority"),
                int(limit["packets"]) if limit else _QUEUE_PACKETS,
                quantum=quantum,
            )
        )
        child = body.get("service-policy")
        if child is not None and self._queues_at_all(str(child["policy"])):
            node.leaf = False
            default = self._policy(str(child["policy"]), path, node, ceiling, ceiling)
            self._minors[path] = default
            return default
        self._minors[path] = node.minor
        return node.minor


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
        and (name == _DEFAULT or body.has("shape average") or body.has("queue-limit") or body.has("service-policy"))
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
    return {name: min(_MOST_QUANTUM, round(_QUANTUM * share / least)) for name, share in flexible.items()}


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
