"""The HTB tree of an output policy: a queue for each class with queueing, and one for all other classes."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_netbench.platforms.cisco_ios.areas.qos.shares import (
    DEFAULT_CLASS,
    QUANTUM,
    guarantees,
    line_rate,
    percent_base,
    portions,
    shape_of,
)
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.config.tree import Section

_QUEUE_PACKETS = 64
_LEAST_BPS = 8000


@dataclass
class _Node:
    minor: int
    parent: int
    rate: int
    ceiling: int
    strict: bool = False
    limit: int = _QUEUE_PACKETS
    leaf: bool = True
    quantum: int = QUANTUM


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
        if all(name != DEFAULT_CLASS for name, _ in found):
            found.append((DEFAULT_CLASS, Section(mode="pmap-c", parent=None)))
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
            own = name == DEFAULT_CLASS or name in shares
            if own:
                numbers[name] = self._class(
                    body,
                    (*path, name),
                    parent if name in strict else others,
                    rate=rate,
                    base=base,
                    share=max(_LEAST_BPS, shares.get(name, 0)),
                    quantum=quanta.get(name, QUANTUM),
                )
        for name, _ in bodies:
            # classes without a queue share the queue of class-default
            self._minors.setdefault((*path, name), numbers.get(name, numbers[DEFAULT_CLASS]))
        return numbers[DEFAULT_CLASS]

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
