"""Faults of WireGuard tunnels: what an end is configured with. No command of an agent repairs them.

Each is observed at the end that is wrong: what its program says, and that nothing passes to the other end.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pytest_netbench.faults.builders import OutsideValue
from pytest_netbench.faults.change import Change, Symptom, given, shows
from pytest_netbench.faults.servers import OnServer, process_fault, services_of, serving
from pytest_netbench.lab.clients import answers
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import VPN_INTERFACE, VpnEnd, VpnPeer
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.capabilities import EXEC

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


class WrongPeer(OnTunnel):
    """An end, and the public key or the prefix that it has for the other one."""

    instead: str


def _tunnels(network: DrawnNetwork) -> Iterator[OnTunnel]:
    """The ends of the tunnels of a network, each with its peer."""
    ends = dict(services_of(network, VpnEnd))
    for node, end in ends.items():
        for peer, one in end.peers.items():
            yield OnTunnel.of(network, node, peer=peer, target=ends[peer].ip, key=one.public_key)


def _tunnel_fault(
    name: str,
    nika: str,
    *,
    wrong_peer: Callable[[Any, VpnPeer], VpnPeer | None],
    is_shown: Callable[[Any, list[list[str]]], bool],
    symptom: Callable[[Any, str], Symptom],
    said: Callable[[Any], str],
    why: Callable[[Any], str] | None = None,
    **fields: Any,
) -> OutsideValue[Any]:
    """A fault of an end of a tunnel.

    Args:
        name: Of the fault.
        nika: What NIKA calls it.
        wrong_peer: What the end has of its peer; ``None`` if it has none.
        is_shown: Whether the program has what is wrong: a list of the key and the allowed prefixes for each peer.
        symptom: What an agent sees of the program, because of a sentence.
        said: What explains it.
        why: That sentence, where it is not what explains it.
        fields: Further ones of the fault.
    """

    def passes(lab: Lab, p: OnTunnel) -> Iterator[str]:
        node = lab.nodes[p.node]
        shown = node.capability(EXEC).run(["wg", "show", VPN_INTERFACE, "allowed-ips"]).stdout
        if not is_shown(p, [line.split() for line in shown.splitlines()]):
            yield f"the tunnel of {p.node} has {shown.strip() or 'no peer'}"
        if answers(node, p.target):
            yield f"{p.node} reaches {p.peer} by the tunnel"

    def wrong(end: VpnEnd, p: OnTunnel) -> VpnEnd:
        peers: Mapping[str, VpnPeer] = {name: one for name, one in end.peers.items() if name != p.peer}
        other = wrong_peer(p, end.peers[p.peer])
        return end.model_copy(update={"peers": peers if other is None else {**peers, p.peer: other}})

    def change(p: OnTunnel) -> Change:
        unreached = f"{p.node} does not reach {p.peer} by the tunnel."
        return Change(
            act=serving(p.node, VpnEnd, given(wrong, p), ends=None),
            undo=serving(p.node, VpnEnd, ends=None),
            checks=(given(passes, p),),
            symptoms=(symptom(p, (why or said)(p)), shows(p.node, "no pings", unreached, address=p.target)),
            detail=said(p),
        )

    return process_fault(
        name,
        needs_services=("vpn",),
        called={"nika": nika},
        # nothing passes any more, so the other end's part of the tunnel shows nothing
        touches=lambda p: frozenset({f"{p.node} vpn", f"{p.peer} vpn"}),
        change=change,
        **fields,
    )


def _nobodys_key(key: str) -> str:
    """A public key whose private one nobody knows. It comes from the right one."""
    number = hashlib.sha256(key.encode()).digest()
    return base64.b64encode(bytes([*number[:-1], number[-1] & 0x7F])).decode()


def with_key(p: WrongPeer, peer: VpnPeer) -> VpnPeer:
    """Return the peer with another key."""
    return peer.model_copy(update={"public_key": p.instead})


def with_prefix(p: WrongPeer, peer: VpnPeer) -> VpnPeer:
    """Return the peer with another prefix."""
    return peer.model_copy(update={"allowed_ips": (p.instead,)})


VPN_PEER_KEY_WRONG = _tunnel_fault(
    "vpn-peer-key-wrong",
    "wireguard_peer_key",
    about="An end of a tunnel has a public key of its peer that is not the peer's: no handshake succeeds.",
    label="VPN_KEY",
    parameters=WrongPeer,
    at=lambda network: (WrongPeer(**dict(one), instead=_nobodys_key(one.key)) for one in _tunnels(network)),
    wrong_peer=with_key,
    is_shown=lambda p, peers: any(key == p.instead for key, *_ in peers),
    symptom=lambda p, because: shows(p.node, "tunnel peer", because, key=p.instead),
    said=lambda p: f"{p.node} has {p.instead} for {p.peer}, whose key is {p.key}.",
)
VPN_ALLOWED_IPS_WRONG = _tunnel_fault(
    "vpn-allowed-ips-wrong",
    "wireguard_allowed_ips",
    about="An end of a tunnel has wrong allowed IPs for its peer: it neither sends packets to it nor takes any.",
    label="VPN_ALLOWED",
    parameters=WrongPeer,
    at=lambda network: (
        WrongPeer(**dict(one), instead=f"{address}/32")
        for one in _tunnels(network)
        for address in (f"{one.target.rpartition('.')[0]}.{_NOBODY}", network.addresses[one.peer])
    ),
    wrong_peer=with_prefix,
    is_shown=lambda p, peers: [p.key, p.instead] in peers,
    symptom=lambda p, because: shows(p.node, "tunnel prefix", because, key=p.key, prefix=p.instead),
    said=lambda p: f"{p.node} has {p.instead} for {p.peer}, which has {p.target} in the tunnel.",
    why=lambda p: f"{p.node} allows {p.instead} for {p.peer}, which has {p.target} in the tunnel.",
)
VPN_PEER_MISSING = _tunnel_fault(
    "vpn-peer-missing",
    "host_vpn_membership_missing",
    about="An end of a tunnel does not know its peer.",
    label="VPN_PEER",
    parameters=OnTunnel,
    at=_tunnels,
    wrong_peer=lambda *_: None,
    is_shown=lambda _, peers: not peers,
    symptom=lambda p, because: shows(p.node, "no tunnel peer", because, key=p.key),
    said=lambda p: f"{p.node} has no {p.peer}.",
    why=lambda p: f"{p.node} has no peer with the key of {p.peer}.",
)
