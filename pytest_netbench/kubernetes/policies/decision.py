"""Whether network policies admit a packet, and why. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address

from pytest_netbench.kubernetes.policies.world import Block, Direction, Pod, Policy, Protocol, Rule, World

Place = Pod | IPv4Address
"""An end of a connection: a pod, or an address of something else."""


@dataclass(frozen=True)
class Side:
    """What the policies of one end say.

    Attributes:
        isolating: Names of the policies that isolate it in this direction; none if it is not isolated.
        admitting: The name of the first policy that admits the packet, and the number of its rule from 0.
    """

    isolating: tuple[str, ...] = ()
    admitting: tuple[str, int] | None = None

    @property
    def allowed(self) -> bool:
        """Whether the packet may pass here."""
        return not self.isolating or self.admitting is not None


@dataclass(frozen=True)
class Verdict:
    """What becomes of a packet: both ends must let it pass."""

    egress: Side = Side()
    ingress: Side = Side()

    @property
    def allowed(self) -> bool:
        """Whether it arrives."""
        return self.egress.allowed and self.ingress.allowed


def allows(world: World, source: Place, target: Place, protocol: Protocol, port: int) -> Verdict:
    """Decide about a packet that opens a connection. A pod always reaches itself.

    Args:
        world: Pods and policies.
        source: Who sends.
        target: To whom, after a service address was translated.
        protocol: Of the packet.
        port: To which port of the target.
    """
    if source == target:
        return Verdict()
    egress, ingress = _Question(world, "egress", protocol, port), _Question(world, "ingress", protocol, port)
    return Verdict(egress.side(source, target), ingress.side(target, source))


@dataclass(frozen=True)
class _Question:
    """What is asked of the policies of one end."""

    world: World
    direction: Direction
    protocol: Protocol
    port: int

    def side(self, pod: Place, peer: Place) -> Side:
        """What the policies of ``pod`` say of a connection with ``peer``."""
        if not isinstance(pod, Pod):
            return Side()
        policies = self.world.policies_of(pod, self.direction)
        target = peer if self.direction == "egress" else pod
        at = target if isinstance(target, Pod) else None
        for policy in policies:
            for number, rule in enumerate(policy.rules[self.direction]):
                if self._has_peer(policy, rule, peer) and self._has_port(rule, at):
                    return Side(tuple(one.name for one in policies), (policy.name, number))
        return Side(tuple(one.name for one in policies))

    def _has_port(self, rule: Rule, target: Pod | None) -> bool:
        return rule.ports is None or any(one.fits(self.protocol, self.port, target) for one in rule.ports)

    def _has_peer(self, policy: Policy, rule: Rule, peer: Place) -> bool:
        if rule.peers is None:
            return True
        address = peer.address if isinstance(peer, Pod) else peer
        for one in rule.peers:
            if isinstance(one, Block):
                if one.has(address):
                    return True
            elif isinstance(peer, Pod) and self.world.names(one, policy, peer):
                return True
        return False
