"""Hosts that attack a server by a program: what their faults share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import ClassVar, Final, Generic, TypeVar

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.servers import answers, asked, servers_in, words_of
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import ServerName
from pytest_netbench.model.network import DrawnNetwork, Subnet
from pytest_netbench.platforms.capabilities import PROCESSES, PROGRAMS

_INTERPRETER: Final = "/usr/bin/python3"
_PROGRAM: Final = "python3"
_TERM: Final = 15
_PATIENCE_S: Final = 0.4


class Attack(OnDevice):
    """A host that attacks, and the server that it attacks.

    Attributes:
        interface: Of the node.
        victim: The server.
        target: Its address.
    """

    interface: str
    victim: str
    target: str


P = TypeVar("P", bound=Attack)


class AttackFault(ABC, Generic[P]):
    """A managed host runs a program, because of which a server answers nobody, although it runs.

    The root cause is at the host. Only the lab ends the program: an agent sees no programs of others.
    """

    name: str
    label: ClassVar[str]
    kind: ClassVar[ServerName]
    program: ClassVar[ModuleType]
    """Its source is run. Standard library only."""
    parameters: type[P]
    lets_through: bool = False
    platforms: tuple[str, ...] = ("linux",)
    requires: tuple[str, ...] = ("processes", "programs", "probes")
    called: Mapping[str, str] = {}
    found_at: ClassVar[str] = "node"
    domain: ClassVar[str] = "security"

    def places(self, network: DrawnNetwork) -> Iterator[P]:
        # a list that another fault changes could be in the way
        victims = [] if network.access_lists else [one.node for one in servers_in(network, self.kind)]
        for victim in victims:
            for host in network.hosts:
                is_hidden = network.is_hidden(host) or network.is_hidden(victim)
                if host != victim and network.is_managed(host) and not is_hidden:
                    yield from self._by(host, victim, network)

    def _by(self, host: str, victim: str, network: DrawnNetwork) -> Iterator[P]:
        lan = network.lan_of(host)
        (at,) = (one for one in lan.attachments if one.node == host)
        attack = Attack(
            node=host,
            platform=network.platform_of(host),
            interface=at.interface,
            victim=victim,
            target=network.addresses[victim],
        )
        yield from self._attacks(attack, lan, at.address)

    def touches(self, parameters: P) -> frozenset[str]:
        attacker = {f"{parameters.node} {parameters.interface}", f"{parameters.node} {_PROGRAM}"}
        return frozenset({*attacker, f"{parameters.victim} {self.kind}"})

    def cuts(self, parameters: P) -> frozenset[str]:  # noqa: ARG002  (packets reach the server)
        return frozenset()

    def recover(self, parameters: P) -> Commands:  # noqa: ARG002  (an agent does not see the program)
        return {}

    def inject(self, parameters: P, lab: Lab) -> None:
        source = Path(str(self.program.__file__)).read_text()
        argv = (_INTERPRETER, "-I", "-S", "-c", source, *self._arguments(parameters))
        lab.nodes[parameters.node].capability(PROCESSES).start(argv, lab_time=False)

    def undo(self, parameters: P, lab: Lab) -> None:
        lab.nodes[parameters.node].capability(PROGRAMS).signal(_PROGRAM, _TERM)

    def observe(self, parameters: P, lab: Lab) -> None:
        if _PROGRAM not in lab.nodes[parameters.node].capability(PROGRAMS).running():
            raise FaultHasNoEffect(self.name, f"{parameters.node} attacks nobody")
        # another fault may be on the way
        (seen,) = lab.prober.probe([Probe(source=parameters.node, target=parameters.target)])
        error, _ = answers(self.kind, parameters.victim, lab, timeout_s=_PATIENCE_S)
        if seen.delivered and error is None:
            raise FaultHasNoEffect(self.name, f"the {words_of(self.kind)} of {parameters.victim} answers")

    def unanswered(self, parameters: P) -> Observation:
        """The server does not answer its own host."""
        because = f"{parameters.victim} gets no answer from its own {words_of(self.kind)}, which runs."
        return asked(self.kind, parameters.victim, r'"error": ', because, timeout_s=_PATIENCE_S)

    # what a subclass says

    @abstractmethod
    def _attacks(self, attack: Attack, lan: Subnet, address: str) -> Iterable[P]:
        """The parameters of an attack by a host of a LAN, which has an address there; none if it cannot be."""

    @abstractmethod
    def _arguments(self, parameters: P) -> Iterable[str]:
        """The arguments of the program."""
