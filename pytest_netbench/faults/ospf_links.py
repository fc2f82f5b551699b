"""Faults of OSPF on links between routers: what one end has otherwise than the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pytest_netbench.dialects.forms import forms_of
from pytest_netbench.faults.builders import NetworkValue, config_fault, never
from pytest_netbench.faults.change import Change, given, on_port, routes_out, shows
from pytest_netbench.faults.router_links import RouterLink, apart, ospf_links
from pytest_netbench.faults.syntax import behind, below, opening, order_of, retyped, with_wildcard
from pytest_netbench.model.network import DrawnNetwork

OTHER_AREAS = (0, 1, 2, 10, 100)
OTHER_TIMERS = ("hello-interval 5", "hello-interval 15", "hello-interval 30", "dead-interval 20", "dead-interval 30")
KEYS = ("backbone", "campus", "routing", "transit")
LOWER_MTUS = (1400, 1420, 1476, 1492)


def _fault(name: str, *, nika: str | None = None, **fields: Any) -> NetworkValue[Any]:
    usual = {
        "touches": lambda p: frozenset({f"ospf {p.prefix}"}),
        "cuts": lambda p: frozenset({p.prefix}),
        "found_at": "interface",
        "is_mutual": lambda _: True,  # the ends must agree, whatever on
        "called": {} if nika is None else {"nika": nika},
    }
    return config_fault(name, **{**usual, **fields})


def _apart(p: RouterLink, inject: Sequence[str], repair: Sequence[str]) -> Change:
    """A change of the interface after which the routers at the ends of a link are not adjacent."""
    return apart(p, "ospf", on_port(p, *inject), on_port(p, *repair))


class WrongArea(RouterLink):
    """A link, its area, and the area that one end has it in instead.

    Attributes:
        process: The line that opens the process, e.g. ``router ospf 1``.
        behind: Statements behind that of the link, where the order of typing is kept.
    """

    process: str
    area: int
    instead: int
    behind: tuple[str, ...] = ()

    def moved(self, area: int, instead: int) -> tuple[str, ...]:
        """Commands that move the link to another area."""
        statement = f"network {with_wildcard(self.platform, self.prefix)} area"
        remove = () if forms_of(self.platform).replaces_areas else self.without(f"{statement} {area}")
        return below(self.process, *remove, f"{statement} {instead}", *retyped(self.platform, self.behind))


def _in_areas(network: DrawnNetwork) -> Iterator[WrongArea]:
    areas = {link.prefix: link.area for link in network.transits}
    for link in ospf_links(network):
        process, area = opening(network, link.node, "router ospf"), areas[link.prefix]
        if process is None or area is None:
            continue
        statement = f"network {with_wildcard(link.platform, link.prefix)} area {area}"
        others = behind(network, link.node, statement, like="network", section=(process,))
        for instead in OTHER_AREAS:
            if instead != area:
                yield WrongArea(**dict(link), process=process, area=area, instead=instead, behind=others)


OSPF_AREA_WRONG = _fault(
    "ospf-area-wrong",
    about="A router has a link in another OSPF area than its neighbor.",
    label="OSPF_AREA",
    parameters=WrongArea,
    nika="ospf_area_misconfiguration",
    at=_in_areas,
    touches=lambda p: frozenset({f"ospf {p.prefix}"}) | order_of(p.platform, p.node, p.process),
    change=lambda p: apart(p, "ospf", p.moved(p.area, p.instead), p.moved(p.instead, p.area)),
)


class Passive(RouterLink):
    """A link that one end has passive.

    Attributes:
        process: The line that opens the process.
        behind: Statements about other passive interfaces, where the order of typing is kept.
    """

    process: str
    behind: tuple[str, ...] = ()


def _of_processes(network: DrawnNetwork) -> Iterator[Passive]:
    for link in ospf_links(network):
        process = opening(network, link.node, "router ospf")
        if process is not None:
            others = behind(network, link.node, None, like="passive-interface", section=(process,))
            yield Passive(**dict(link), process=process, behind=others)


def _passive(p: Passive) -> Change:
    if p.platform == "frr":
        return _apart(p, ["ip ospf passive"], p.without("ip ospf passive"))
    line = f"passive-interface {p.interface}"
    entered = below(p.process, line, *retyped(p.platform, p.behind))
    return apart(p, "ospf", entered, p.without(p.process, line))


OSPF_INTERFACE_PASSIVE = _fault(
    "ospf-interface-passive",
    about="A router has its interface to a neighbor passive.",
    label="OSPF_PASSIVE",
    parameters=Passive,
    nika="ospf_neighbor_missing",
    is_mutual=never,  # the other end is as it should be
    at=_of_processes,
    change=_passive,
)


class WrongTimer(RouterLink):
    """A link, and a timer that one end has, e.g. ``hello-interval 5``. The other end has the default."""

    timer: str


OSPF_TIMERS_WRONG = _fault(
    "ospf-timers-wrong",
    about="A router has another hello or dead interval on a link than its neighbor.",
    label="OSPF_TIMERS",
    parameters=WrongTimer,
    at=lambda network: (
        WrongTimer(**dict(link), timer=timer) for link in ospf_links(network) for timer in OTHER_TIMERS
    ),
    change=lambda p: _apart(p, [f"ip ospf {p.timer}"], p.without(f"ip ospf {p.timer.split()[0]}")),
)


class WrongType(RouterLink):
    """A link, and the network type of one end; ``None`` is the default of the interface, broadcast."""

    instead: str | None = None


def _typed(p: WrongType) -> Change:
    right = "ip ospf network point-to-point"
    because = f"{p.node} learns no route from {p.peer}, although both may be adjacent."
    return Change(
        inject=on_port(p, *(p.without(right) if p.instead is None else [f"ip ospf network {p.instead}"])),
        repair=on_port(p, right),
        # the routers may stay adjacent, but neither finds the other behind the link
        checks=(given(routes_out, p.node, p.interface, "ospf"),),
        symptoms=(shows(p.node, "no OSPF route by", because, hop=p.neighbor),),
    )


OSPF_NETWORK_TYPE_WRONG = _fault(
    "ospf-network-type-wrong",
    about="A router has a link as broadcast or non-broadcast network, its neighbor as point-to-point.",
    label="OSPF_TYPE",
    parameters=WrongType,
    at=lambda network: (
        WrongType(**dict(link), instead=instead) for link in ospf_links(network) for instead in (None, "non-broadcast")
    ),
    change=_typed,
)


class OneSidedKey(RouterLink):
    """A link, and the key that one end demands; ``digest``: by its MD5 digest, otherwise in clear text."""

    key: str
    digest: bool

    @property
    def lines(self) -> tuple[str, str]:
        """The lines of the interface."""
        if self.digest:
            return ("ip ospf authentication message-digest", f"ip ospf message-digest-key 1 md5 {self.key}")
        return ("ip ospf authentication", f"ip ospf authentication-key {self.key}")


OSPF_AUTHENTICATION_WRONG = _fault(
    "ospf-authentication-wrong",
    about="A router demands authentication on a link, its neighbor does not authenticate.",
    label="OSPF_AUTH",
    parameters=OneSidedKey,
    at=lambda network: (
        OneSidedKey(**dict(link), key=key, digest=digest)
        for link in ospf_links(network)
        for digest in (False, True)
        for key in KEYS
    ),
    change=lambda p: _apart(p, p.lines, [one for line in p.lines for one in p.without(line)]),
)


class LowerMtu(RouterLink):
    """A link, and the MTU in bytes that one end has."""

    mtu: int


# the interface starts its adjacencies again; FRR's configuration has no MTU
OSPF_MTU_WRONG = _fault(
    "ospf-mtu-wrong",
    about="A router has a lower MTU on a link than its neighbor, so that OSPF does not become adjacent.",
    label="OSPF_MTU",
    parameters=LowerMtu,
    platforms=("cisco_ios",),
    nika="mtu_mismatch",
    at=lambda network: (LowerMtu(**dict(link), mtu=mtu) for link in ospf_links(network) for mtu in LOWER_MTUS),
    change=lambda p: _apart(p, [f"ip mtu {p.mtu}"], p.without("ip mtu")),
)
