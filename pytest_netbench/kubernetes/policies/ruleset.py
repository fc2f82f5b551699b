"""Network policies as rules of the kernel of one machine. Pure.

Packets are judged where they are forwarded: those of the machine's own pods as they leave (egress) and as they come
(ingress), after service addresses were translated. Answers of connections pass; packets in the direction in which a
connection was opened are judged each time, so that a change ends what it no longer allows. A rule without ports admits
every protocol of its peers, ICMP too; a rule with ports admits these only. What a machine sends to its own pods is not
forwarded, and so not judged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Address
from typing import Final

from pytest_netbench.kubernetes.policies.world import Block, Direction, Pod, Policy, Port, Rule, World

TABLE: Final = "netbench-policies"
_PEER: Final[dict[Direction, str]] = {"egress": "ip daddr", "ingress": "ip saddr"}
_OWN: Final[dict[Direction, str]] = {"egress": "ip saddr", "ingress": "ip daddr"}


def ruleset(world: World, machine: str) -> str:
    """The commands of ``nft`` that replace the table of a machine. Equal worlds give equal texts.

    Args:
        world: Pods, namespaces and policies.
        machine: The name of the node.
    """
    own = [pod for pod in world.pods if pod.machine == machine]
    chains: list[str] = []
    hook = [
        "type filter hook forward priority filter; policy accept;",
        "ct direction reply ct state established,related accept",
        "ct state related accept",
        *_selves(own, world),
    ]
    for direction in ("egress", "ingress"):
        found = _Chains(world, direction)
        jumps = found.jumps(own)
        if jumps:
            hook.append(f"{_OWN[direction]} vmap {{ {', '.join(jumps)} }}")
        chains += found.chains
    body = [*chains, *_chain("forward", hook)]
    return "\n".join(
        [
            f"table ip {TABLE}",
            f"delete table ip {TABLE}",
            f"table ip {TABLE} {{",
            *(f"  {one}" for one in body),
            "}",
            "",
        ]
    )


def _selves(own: Iterable[Pod], world: World) -> list[str]:
    """A pod that calls itself by a service address is forwarded back to itself, and passes."""
    isolated = [pod for pod in own if any(world.policies_of(pod, one) for one in ("egress", "ingress"))]
    pairs = sorted(f"{pod.address} . {pod.address}" for pod in isolated)
    return [f"ip saddr . ip daddr {{ {', '.join(pairs)} }} accept"] if pairs else []


def _chain(name: str, rules: Iterable[str]) -> list[str]:
    return [f"chain {name} {{", *(f"  {one}" for one in rules), "}"]


class _Chains:
    """Chains of one direction, one for all pods that have the same policies and names of ports.

    Args:
        world: Pods and policies.
        direction: In which.
    """

    def __init__(self, world: World, direction: Direction) -> None:
        self._world = world
        self._direction: Direction = direction
        self._names: dict[tuple[str, ...], str] = {}
        self.chains: list[str] = []

    def jumps(self, pods: Iterable[Pod]) -> list[str]:
        """An entry of a map of verdicts for each isolated pod."""
        found = []
        for pod in pods:
            policies = self._world.policies_of(pod, self._direction)
            if policies:
                found.append(f"{pod.address} : jump {self._name(tuple(self._rules(pod, policies)))}")
        return sorted(found)

    def _name(self, rules: tuple[str, ...]) -> str:
        if rules not in self._names:
            self._names[rules] = name = f"{self._direction}-{len(self._names)}"
            self.chains += _chain(name, rules)
        return self._names[rules]

    def _rules(self, pod: Pod, policies: Sequence[Policy]) -> Iterator[str]:
        """What the chain of a pod says: what is admitted returns, and the rest is dropped."""
        ruled = [(policy, rule) for policy in policies for rule in policy.rules[self._direction]]
        yield from sorted({line for policy, rule in ruled for line in self._rule(pod, policy, rule)})
        yield "drop"

    def _rule(self, pod: Pod, policy: Policy, rule: Rule) -> Iterator[str]:
        if rule.ports is None:
            yield from (f"{peers}return" for peers in self._peers(policy, rule))
            return
        for port in rule.ports:
            if not isinstance(port.port, str):
                yield from (f"{peers}{_match(port)} return" for peers in self._peers(policy, rule))
            elif self._direction == "ingress":
                if (number := port.number(pod)) is not None:
                    match = _match(Port(port.protocol, number))
                    yield from (f"{peers}{match} return" for peers in self._peers(policy, rule))
            else:
                yield from self._named(policy, rule, port)

    def _named(self, policy: Policy, rule: Rule, port: Port) -> Iterator[str]:
        """Egress to a port by its name: it is another one at each pod that has it."""
        found: dict[int, list[Pod]] = defaultdict(list)
        for pod in self._named_pods(policy, rule):
            if (number := port.number(pod)) is not None:
                found[number].append(pod)
        for number in sorted(found):
            yield f"ip daddr {_set(pod.address for pod in found[number])} {_match(Port(port.protocol, number))} return"

    def _named_pods(self, policy: Policy, rule: Rule) -> list[Pod]:
        if rule.peers is None:
            return list(self._world.pods)
        found = []
        for one in rule.peers:
            if isinstance(one, Block):
                found += [pod for pod in self._world.pods if one.has(pod.address)]
            else:
                found += self._world.peers(one, policy)
        return found

    def _peers(self, policy: Policy, rule: Rule) -> Iterator[str]:
        """Matches of the peers of a rule, each with a blank at its end; the empty match is everybody."""
        if rule.peers is None:
            yield ""
            return
        word = _PEER[self._direction]
        pods: set[IPv4Address] = set()
        for one in rule.peers:
            if isinstance(one, Block):
                excepted = f"{word} != {_set(one.excepted)} " if one.excepted else ""
                yield f"{word} {one.block} {excepted}"
            else:
                pods |= {pod.address for pod in self._world.peers(one, policy)}
        if pods:
            yield f"{word} {_set(pods)} "


def _match(port: Port) -> str:
    protocol = port.protocol.lower()
    if port.port is None:
        return f"meta l4proto {protocol}"
    return f"{protocol} dport {port.port}" + (f"-{port.last}" if port.last else "")


def _set(elements: Iterable[object]) -> str:
    return f"{{ {', '.join(sorted({str(one) for one in elements}))} }}"
