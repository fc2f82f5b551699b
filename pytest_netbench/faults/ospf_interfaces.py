"""Faults of OSPF interfaces: timers, network type, authentication and MTU that differ from those of the neighbor."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.ospf_links import OspfLink, OspfLinkFault, ospf_links
from pytest_netbench.faults.state import routes_out
from pytest_netbench.faults.syntax import below
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork

OTHER_TIMERS = ("hello-interval 5", "hello-interval 15", "hello-interval 30", "dead-interval 20", "dead-interval 30")
KEYS = ("backbone", "campus", "routing", "transit")
LOWER_MTUS = (1400, 1420, 1476, 1492)


class WrongTimer(OspfLink):
    """A link, and a timer that one end has, e.g. ``hello-interval 5``. The other end has the default."""

    timer: str


class OspfTimersWrong(OspfLinkFault[WrongTimer]):
    """A router has another hello or dead interval on a link than its neighbor."""

    name = "ospf-timers-wrong"
    label = "OSPF_TIMERS"
    parameters = WrongTimer

    def _places(self, network: DrawnNetwork) -> Iterator[WrongTimer]:
        for link in ospf_links(network):
            for timer in OTHER_TIMERS:
                yield WrongTimer(**dict(link), timer=timer)

    def injection(self, parameters: WrongTimer) -> tuple[str, ...]:
        return below(f"interface {parameters.interface}", f"ip ospf {parameters.timer}")

    def repair(self, parameters: WrongTimer) -> tuple[str, ...]:
        return below(f"interface {parameters.interface}", f"no ip ospf {parameters.timer.split()[0]}")


class WrongType(OspfLink):
    """A link, and the network type of one end; ``None`` is the default of the interface, broadcast."""

    instead: str | None = None


class OspfNetworkTypeWrong(OspfLinkFault[WrongType]):
    """A router has a link as broadcast or non-broadcast network, its neighbor as point-to-point."""

    name = "ospf-network-type-wrong"
    label = "OSPF_TYPE"
    parameters = WrongType

    def _places(self, network: DrawnNetwork) -> Iterator[WrongType]:
        for link in ospf_links(network):
            for instead in (None, "non-broadcast"):
                yield WrongType(**dict(link), instead=instead)

    def injection(self, parameters: WrongType) -> tuple[str, ...]:
        typed = "no ip ospf network point-to-point"
        if parameters.instead is not None:
            typed = f"ip ospf network {parameters.instead}"
        return below(f"interface {parameters.interface}", typed)

    def repair(self, parameters: WrongType) -> tuple[str, ...]:
        return below(f"interface {parameters.interface}", "ip ospf network point-to-point")

    def remains(self, parameters: WrongType, lab: Lab) -> Iterator[str]:
        # the routers may stay adjacent, but neither finds the other behind the link
        yield from routes_out(lab, parameters.node, parameters.interface, "ospf")

    def symptoms(self, parameters: WrongType, network: Observable) -> Iterator[Observation]:
        because = f"{parameters.node} learns no route from {parameters.peer}, although both may be adjacent."
        yield from asking.state(network, parameters.node, "no OSPF route by", because, hop=parameters.neighbor)


class OneSidedKey(OspfLink):
    """A link, and the key that one end demands; ``digest``: by its MD5 digest, otherwise in clear text."""

    key: str
    digest: bool

    @property
    def lines(self) -> tuple[str, str]:
        """The lines of the interface."""
        if self.digest:
            return ("ip ospf authentication message-digest", f"ip ospf message-digest-key 1 md5 {self.key}")
        return ("ip ospf authentication", f"ip ospf authentication-key {self.key}")


class OspfAuthenticationWrong(OspfLinkFault[OneSidedKey]):
    """A router demands authentication on a link, its neighbor does not authenticate."""

    name = "ospf-authentication-wrong"
    label = "OSPF_AUTH"
    parameters = OneSidedKey

    def _places(self, network: DrawnNetwork) -> Iterator[OneSidedKey]:
        for link in ospf_links(network):
            for digest in (False, True):
                for key in KEYS:
                    yield OneSidedKey(**dict(link), key=key, digest=digest)

    def injection(self, parameters: OneSidedKey) -> tuple[str, ...]:
        return below(f"interface {parameters.interface}", *parameters.lines)

    def repair(self, parameters: OneSidedKey) -> tuple[str, ...]:
        return below(f"interface {parameters.interface}", *(f"no {line}" for line in parameters.lines))


class LowerMtu(OspfLink):
    """A link, and the MTU in bytes that one end has."""

    mtu: int


class OspfMtuWrong(OspfLinkFault[LowerMtu]):
    """A router has a lower MTU on a link than its neighbor, so that OSPF does not become adjacent.

    The interface starts its adjacencies again. FRR's configuration has no MTU.
    """

    name = "ospf-mtu-wrong"
    label = "OSPF_MTU"
    parameters = LowerMtu
    platforms = ("cisco_ios",)
    called = {"nika": "mtu_mismatch"}

    def _places(self, network: DrawnNetwork) -> Iterator[LowerMtu]:
        for link in ospf_links(network):
            for mtu in LOWER_MTUS:
                yield LowerMtu(**dict(link), mtu=mtu)

    def injection(self, parameters: LowerMtu) -> tuple[str, ...]:
        return below(f"interface {parameters.interface}", f"ip mtu {parameters.mtu}")

    def repair(self, parameters: LowerMtu) -> tuple[str, ...]:
        return below(f"interface {parameters.interface}", "no ip mtu")
