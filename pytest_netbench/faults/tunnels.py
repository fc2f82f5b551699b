"""Faults of WireGuard tunnels: what an end is configured with. No command of an agent repairs them.

Each is observed at the end that is wrong: what its program says, and that nothing passes to the other end.
"""

from __future__ import annotations

import base64
import hashlib
from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Final, TypeVar

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.servers import OnServer, ProgramFault, hosting
from pytest_netbench.faults.wording import about
from pytest_netbench.lab.clients import answers
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import VPN_INTERFACE, ServerName, VpnEnd, VpnPeer
from pytest_netbench.model.network import DrawnNetwork

_NOBODY: Final = 200
"""The number of an inner address that neither end has."""


class OnTunnel(OnServer):
    """An end of a tunnel, and the other one.

    Attributes:
        peer: Node of the other end.
        target: Address of the other end in the tunnel.
        key: Public key of the other end.
    """

    peer: str
    target: str
    key: str


P = TypeVar("P", bound=OnTunnel)


class TunnelFault(ProgramFault[P]):
    """What faults of tunnels share. A subclass says what an end has of its peer, and how that is seen."""

    kind: ClassVar[ServerName] = "vpn"
    needs_services: tuple[str, ...] = ("vpn",)

    def touches(self, parameters: P) -> frozenset[str]:
        # nothing passes any more, so the other end's part of the tunnel shows nothing
        return frozenset({f"{node} {self.kind}" for node in (parameters.node, parameters.peer)})

    def inject(self, parameters: P, lab: Lab) -> None:
        end = _end_of(lab, parameters.node)
        others = {name: one for name, one in end.peers.items() if name != parameters.peer}
        wrong = self.wrong_peer(parameters, end.peers[parameters.peer])
        peers = others if wrong is None else {**others, parameters.peer: wrong}
        _serve(end.model_copy(update={"peers": peers}), parameters, lab)

    def undo(self, parameters: P, lab: Lab) -> None:
        _serve(_end_of(lab, parameters.node), parameters, lab)

    def observe(self, parameters: P, lab: Lab) -> None:
        p, node = parameters, lab.nodes[parameters.node]
        shown = node.run(["wg", "show", VPN_INTERFACE, "allowed-ips"]).stdout
        if not self.is_shown(p, [line.split() for line in shown.splitlines()]):
            raise FaultHasNoEffect(self.name, f"the tunnel of {p.node} has {shown.strip() or 'no peer'}")
        if answers(node, p.target):
            raise FaultHasNoEffect(self.name, f"{p.node} reaches {p.peer} by the tunnel")

    def evidence(self, parameters: P, network: Observable) -> Iterator[Observation]:
        p = parameters
        yield from self.of_program(p, network)
        because = f"{p.node} does not reach {p.peer} by the tunnel."
        yield from asking.state(network, p.node, "no pings", because, address=p.target)

    # what a subclass says

    @abstractmethod
    def wrong_peer(self, parameters: P, peer: VpnPeer) -> VpnPeer | None:
        """What the end has of its peer; ``None`` if it has none."""

    @abstractmethod
    def is_shown(self, parameters: P, peers: list[list[str]]) -> bool:
        """Whether the program has what is wrong: a list of the key and the allowed prefixes for each peer."""

    @abstractmethod
    def of_program(self, parameters: P, network: Observable) -> Iterator[Observation]:
        """What an agent sees of the program."""


class WrongKey(OnTunnel):
    """An end, and the public key that it has for the other one."""

    instead: str


class VpnPeerKeyWrong(TunnelFault[WrongKey]):
    """An end of a tunnel has a public key of its peer that is not the peer's: no handshake succeeds."""

    name = "vpn-peer-key-wrong"
    label = "VPN_KEY"
    parameters = WrongKey
    called = {"nika": "wireguard_peer_key"}

    def places(self, network: DrawnNetwork) -> Iterator[WrongKey]:
        for one in _tunnels(network):
            yield WrongKey(**dict(one), instead=_nobodys_key(one.key))

    def wrong_peer(self, parameters: WrongKey, peer: VpnPeer) -> VpnPeer:
        return peer.model_copy(update={"public_key": parameters.instead})

    def is_shown(self, parameters: WrongKey, peers: list[list[str]]) -> bool:
        return any(key == parameters.instead for key, *_ in peers)

    def of_program(self, parameters: WrongKey, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} has {p.instead} for {p.peer}, whose key is {p.key}."
        yield from asking.state(network, p.node, "tunnel peer", because, key=p.instead)

    def explain(self, parameters: WrongKey) -> str:
        p = parameters
        return f"{about(self)} {p.node} has {p.instead} for {p.peer}, whose key is {p.key}."


class WrongAllowedIps(OnTunnel):
    """An end, and the prefix that it sends to the other one instead of the other's address in the tunnel."""

    instead: str


class VpnAllowedIpsWrong(TunnelFault[WrongAllowedIps]):
    """An end of a tunnel has wrong allowed IPs for its peer: it neither sends packets to it nor takes any."""

    name = "vpn-allowed-ips-wrong"
    label = "VPN_ALLOWED"
    parameters = WrongAllowedIps
    called = {"nika": "wireguard_allowed_ips"}

    def places(self, network: DrawnNetwork) -> Iterator[WrongAllowedIps]:
        for one in _tunnels(network):
            subnet = one.target.rpartition(".")[0]
            for instead in (f"{subnet}.{_NOBODY}/32", f"{network.addresses[one.peer]}/32"):
                yield WrongAllowedIps(**dict(one), instead=instead)

    def wrong_peer(self, parameters: WrongAllowedIps, peer: VpnPeer) -> VpnPeer:
        return peer.model_copy(update={"allowed_ips": (parameters.instead,)})

    def is_shown(self, parameters: WrongAllowedIps, peers: list[list[str]]) -> bool:
        return [parameters.key, parameters.instead] in peers

    def of_program(self, parameters: WrongAllowedIps, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} allows {p.instead} for {p.peer}, which has {p.target} in the tunnel."
        yield from asking.state(network, p.node, "tunnel prefix", because, key=p.key, prefix=p.instead)

    def explain(self, parameters: WrongAllowedIps) -> str:
        p = parameters
        return f"{about(self)} {p.node} has {p.instead} for {p.peer}, which has {p.target} in the tunnel."


class VpnPeerMissing(TunnelFault[OnTunnel]):
    """An end of a tunnel does not know its peer."""

    name = "vpn-peer-missing"
    label = "VPN_PEER"
    parameters = OnTunnel
    called = {"nika": "host_vpn_membership_missing"}

    def places(self, network: DrawnNetwork) -> Iterator[OnTunnel]:
        yield from _tunnels(network)

    def wrong_peer(self, parameters: OnTunnel, peer: VpnPeer) -> None:  # noqa: ARG002  (it has none)
        return None

    def is_shown(self, parameters: OnTunnel, peers: list[list[str]]) -> bool:  # noqa: ARG002  (it has one peer)
        return not peers

    def of_program(self, parameters: OnTunnel, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} has no peer with the key of {p.peer}."
        yield from asking.state(network, p.node, "no tunnel peer", because, key=p.key)

    def explain(self, parameters: OnTunnel) -> str:
        return f"{about(self)} {parameters.node} has no {parameters.peer}."


def _tunnels(network: DrawnNetwork) -> Iterator[OnTunnel]:
    """The ends of the tunnels of a network, each with its peer."""
    ends = {node.name: one for node in network.topology.nodes for one in node.services if isinstance(one, VpnEnd)}
    for node, end in ends.items():
        for peer, one in end.peers.items():
            platform = network.platform_of(node)
            yield OnTunnel(node=node, platform=platform, peer=peer, target=ends[peer].ip, key=one.public_key)


def _nobodys_key(key: str) -> str:
    """A public key whose private one nobody knows. It comes from the right one."""
    number = hashlib.sha256(key.encode()).digest()
    return base64.b64encode(bytes([*number[:-1], number[-1] & 0x7F])).decode()


def _end_of(lab: Lab, node: str) -> VpnEnd:
    """What the tunnels of a host are configured with in the healthy network."""
    return next(one for one in lab.topology.node(node).services if isinstance(one, VpnEnd))


def _serve(end: VpnEnd, parameters: OnTunnel, lab: Lab) -> None:
    hosting(lab, parameters.node).serve(lab.nodes[parameters.node], [end])
