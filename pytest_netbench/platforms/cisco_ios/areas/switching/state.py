"""The switching state of a device as pure data, and its place in the desired state. Interfaces have kernel names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_netbench.platforms.cisco_ios.apply.links import HIDDEN
from pytest_netbench.platforms.cisco_ios.compile.state import Chain, DesiredState

SERVICE = "switch"
RESERVED = range(1002, 1006)
_SINK_PRIORITY = 450


@dataclass(frozen=True, kw_only=True)
class SwitchPort:
    """A port that switches.

    Args:
        name: The kernel's name.
        number: From 1, in the port's identifier.
        up: Not shut down.
        trunk: Whether frames are tagged.
        dynamic: ``auto`` or ``desirable`` where that is agreed with the neighbor, by DTP.
        nonegotiate: A trunk that does not send DTP.
        vlan: Of an access port.
        voice: A further VLAN of an access port, tagged.
        native: The VLAN of a trunk that is not tagged.
        allowed: VLANs of a trunk; ``None`` is all.
        cost: Path cost by speed, in the spanning tree.
        costs: Configured path costs by VLAN; 0 for all.
        priorities: Configured port priorities, likewise.
        edge: ``portfast``, as an access port.
        trunk_edge: ``portfast trunk``.
        bpduguard: Disable the port when a BPDU arrives.
        silent: ``bpdufilter``.
        guard: ``root``, ``loop`` or "".
        security: Port security as the service takes it, or ``None``.
        trusted: Any of ``dhcp`` and ``arp``.
        protected: No traffic passes between two protected ports.
        cdp: The name that it announces by CDP, or "".
    """

    name: str
    number: int
    up: bool = True
    trunk: bool = False
    dynamic: str = ""
    nonegotiate: bool = False
    vlan: int = 1
    voice: int | None = None
    native: int = 1
    allowed: frozenset[int] | None = None
    cost: int = 4
    costs: Mapping[int, int] = field(default_factory=dict)
    priorities: Mapping[int, int] = field(default_factory=dict)
    edge: bool = False
    trunk_edge: bool = False
    bpduguard: bool = False
    silent: bool = False
    guard: str = ""
    security: Mapping[str, Any] | None = None
    trusted: frozenset[str] = frozenset()
    protected: bool = False
    cdp: str = ""

    def allows(self, vlan: int) -> bool:
        """Whether the port, as a trunk, carries ``vlan``."""
        return self.allowed is None or vlan in self.allowed

    def tagged(self, vlans: Iterable[int]) -> dict[str, int]:
        """Return the trunk tag of the port in each existing VLAN, 0 where it is untagged."""
        return {str(vlan): 0 if vlan == self.native else vlan for vlan in vlans if self.allows(vlan)}

    def untagged(self, vlans: Iterable[int]) -> dict[str, int]:
        """Return the tags of an access port in the same form."""
        return {str(vlan): 0 if vlan == self.vlan else vlan for vlan in vlans if vlan in (self.vlan, self.voice)}

    def service(self, vlans: Mapping[int, str]) -> dict[str, Any]:
        """Return the port in the form that the service takes."""
        return {
            "number": self.number,
            "up": self.up,
            "mode": "trunk" if self.trunk else self.dynamic or "access",
            "negotiates": bool(self.dynamic) or (self.trunk and not self.nonegotiate),
            "vlans": self.untagged(vlans),
            "tagged": self.tagged(vlans),
            "native": self.native,
            "cost": self.cost,
            "costs": {str(vlan or ""): cost for vlan, cost in self.costs.items()},
            "priorities": {str(vlan or ""): priority for vlan, priority in self.priorities.items()},
            "edge": self.edge,
            "trunk_edge": self.trunk_edge,
            "bpduguard": self.bpduguard,
            "silent": self.silent,
            "guard": self.guard,
            "security": None if self.security is None else dict(self.security),
            "trusted": sorted(self.trusted),
            "protected": self.protected,
            "cdp": self.cdp,
        }


@dataclass(frozen=True, kw_only=True)
class Subinterface:
    """A dot1Q subinterface of a routed port. ``tag`` 0 is the native VLAN: it receives untagged frames."""

    name: str
    parent: str
    tag: int


@dataclass(frozen=True, kw_only=True)
class TreeSettings:
    """The spanning tree settings of one VLAN."""

    mode: str = "pvst"
    priority: int = 32768
    hello: int = 2
    forward_delay: int = 15
    max_age: int = 20


@dataclass(frozen=True, kw_only=True)
class SwitchState:
    """The whole switching state of a device.

    Args:
        address: MAC address of the bridge.
        vlans: Names of those that exist, by number.
        svis: VLAN by the kernel's name of its interface.
        steady: SVIs that are up whatever their ports are.
        trees: By VLAN; one without has no spanning tree.
        ageing: Seconds by VLAN, where they are not 300.
        statics: (port, VLAN, address) that are not learned.
        recovery: Seconds after which a port recovers from an error, by cause.
        snooping: DHCP snooping as the service takes it, or ``None``.
        inspection: ARP inspection, likewise.
        bindings: Addresses of hosts that are configured, likewise.
        cdp: What the switch announces as the service takes it, or ``None``.
    """

    address: str = "02:00:00:00:00:01"
    vlans: Mapping[int, str] = field(default_factory=lambda: {1: "default"})
    ports: tuple[SwitchPort, ...] = ()
    svis: Mapping[str, int] = field(default_factory=dict)
    steady: frozenset[str] = frozenset()
    subinterfaces: tuple[Subinterface, ...] = ()
    trees: Mapping[int, TreeSettings] = field(default_factory=dict)
    ageing: Mapping[int, int] = field(default_factory=dict)
    statics: tuple[tuple[str, int, str], ...] = ()
    recovery: Mapping[str, int] = field(default_factory=dict)
    snooping: Mapping[str, Any] | None = None
    inspection: Mapping[str, Any] | None = None
    bindings: tuple[Mapping[str, Any], ...] = ()
    cdp: Mapping[str, Any] | None = None

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to switch."""
        return not (self.ports or self.svis or self.subinterfaces)

    def service(self) -> dict[str, Any]:
        """Return the configuration of the service."""
        return {
            "address": self.address,
            "vlans": sorted(self.vlans),
            "ports": {port.name: port.service(self.vlans) for port in self.ports},
            "inner": {f"{name}{HIDDEN}": vlan for name, vlan in self.svis.items()},
            "steady": sorted(f"{name}{HIDDEN}" for name in self.steady & set(self.svis)),
            "subinterfaces": {
                f"{sub.name}{HIDDEN}": {"parent": sub.parent, "tag": sub.tag} for sub in self.subinterfaces
            },
            "trees": {str(vlan): dict(tree.__dict__) for vlan, tree in self.trees.items() if vlan in self.vlans},
            "ageing": {str(vlan): seconds for vlan, seconds in self.ageing.items()},
            "statics": [list(static) for static in self.statics],
            "recovery": dict(self.recovery),
            "snooping": None if self.snooping is None else dict(self.snooping),
            "inspection": None if self.inspection is None else dict(self.inspection),
            "bindings": [dict(binding) for binding in self.bindings],
            "cdp": None if self.cdp is None else dict(self.cdp),
        }

    def add_to(self, state: DesiredState) -> None:
        """Add it to the desired state, except the links of SVIs and subinterfaces, which their areas add."""
        if self.is_idle:
            return
        state.services[SERVICE] = self.service()
        hidden = [*(f"{name}{HIDDEN}" for name in self.svis), *(f"{sub.name}{HIDDEN}" for sub in self.subinterfaces)]
        native = [sub.parent for sub in self.subinterfaces if sub.tag == 0]
        for name in [*(port.name for port in self.ports), *hidden, *native]:
            # frames that the switching program receives must not reach the kernel's network stack as well
            chain = Chain(
                "netdev",
                f"switched_{name.replace('.', '_').replace('-', '_')}",
                "ingress",
                "filter",
                _SINK_PRIORITY,
                name,
                "drop",
            )
            state.nft.chain(chain)
            state.sysctls[f"net/ipv6/conf/{name}/disable_ipv6"] = "1"
