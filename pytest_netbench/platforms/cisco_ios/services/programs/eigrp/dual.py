"""DUAL: the loop-free choice of a successor for each network. Without sockets and clocks.

A neighbor whose own distance is less than every distance that this router has had since the network was last passive
cannot route through this router. If the best neighbor does not meet this condition, the network becomes active: all
neighbors are queried, and a successor is chosen when all have replied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from pytest_netbench.platforms.cisco_ios.services.programs.eigrp.packet import INFINITE, QUERY, REPLY, UPDATE, Vector

CONNECTED = ""
Send = Callable[[str, int, str, Vector], None]


@dataclass
class Network:
    """One network: ``reported`` vectors by neighbor (``CONNECTED``: this router), ``feasible`` distance, successors.

    ``asked``: neighbors whose reply is missing while it is active; ``owed``: those that wait for a reply from
    this router.
    """

    reported: dict[str, Vector] = field(default_factory=dict)
    feasible: int = INFINITE
    successors: tuple[str, ...] = ()
    told: int = INFINITE
    active: bool = False
    asked: set[str] = field(default_factory=set)
    owed: set[str] = field(default_factory=set)


class Dual:
    """The topology table.

    Args:
        send: Sends (neighbor, opcode, network, vector): an update, a query or a reply.
        link: Returns the cost of the link to a neighbor.
        same_link: Whether two neighbors are on one interface.
    """

    def __init__(self, *, send: Send, link: Callable[[str], Vector], same_link: Callable[[str, str], bool]) -> None:
        self._send, self._link, self._same_link = send, link, same_link
        self.networks: dict[str, Network] = {}
        self.neighbors: list[str] = []
        self.variance = 1
        self.most_paths = 4

    def connected(self, networks: Mapping[str, Vector]) -> None:
        """Set this router's connected networks."""
        for prefix, vector in networks.items():
            network = self.networks.setdefault(prefix, Network())
            if network.reported.get(CONNECTED) != vector:
                network.reported[CONNECTED] = vector
                self._settle(prefix)
        for prefix in [p for p, n in self.networks.items() if CONNECTED in n.reported and p not in networks]:
            del self.networks[prefix].reported[CONNECTED]
            self._settle(prefix)

    def join(self, neighbor: str) -> list[tuple[str, Vector]]:
        """Add a neighbor; return the first updates for it."""
        if neighbor not in self.neighbors:
            self.neighbors.append(neighbor)
        found = [(p, self._shown(n, neighbor)) for p, n in self.networks.items() if not n.active]
        return [(prefix, vector) for prefix, vector in found if vector.distance != INFINITE]

    def leave(self, neighbor: str) -> None:
        """Remove a neighbor with its reported routes."""
        if neighbor in self.neighbors:
            self.neighbors.remove(neighbor)
        for prefix, network in list(self.networks.items()):
            network.owed.discard(neighbor)
            known = network.reported.pop(neighbor, None)
            if network.active:
                network.asked.discard(neighbor)
                self._maybe_done(prefix)
            elif known is not None:
                self._settle(prefix)

    def refresh(self) -> None:
        """Recompute after costs of links changed."""
        for prefix in list(self.networks):
            self._settle(prefix)

    def hear(self, neighbor: str, opcode: int, prefix: str, vector: Vector) -> None:
        """Handle an update, a query or a reply of a neighbor."""
        network = self.networks.setdefault(prefix, Network())
        network.reported[neighbor] = vector
        if opcode == REPLY and network.active:
            network.asked.discard(neighbor)
            self._maybe_done(prefix)
        elif opcode == QUERY:
            if network.active:
                self._send(neighbor, REPLY, prefix, self._shown(network, neighbor))
            else:
                network.owed.add(neighbor)
                self._settle(prefix)
                if not network.active:
                    self._pay(prefix, network)
        elif not network.active:
            self._settle(prefix)
        self._forget(prefix)

    # -- the computation ---------------------------------------------------------------------------------------------

    def distance(self, network: Network, way: str) -> int:
        """Return the distance of a network by one neighbor."""
        return self.vector(network, way).distance

    def vector(self, network: Network, way: str) -> Vector:
        """Return the vector of a network by one neighbor."""
        said = network.reported.get(way, Vector())
        return said if way == CONNECTED else said.behind(self._link(way))

    def _settle(self, prefix: str) -> None:
        network = self.networks[prefix]
        if network.active:
            return
        best = min((self.distance(network, way) for way in network.reported), default=INFINITE)
        fits = [way for way in network.reported if self._is_feasible(network, way)]
        if best != INFINITE and any(self.distance(network, way) == best for way in fits):
            network.feasible = min(network.feasible, best)
            self._choose(network, best, fits)
            self._tell(prefix, network)
        elif best == INFINITE and not network.successors:
            network.feasible = INFINITE
            self._forget(prefix)
        else:
            self._go_active(prefix, network)

    def _is_feasible(self, network: Network, way: str) -> bool:
        if self.distance(network, way) == INFINITE:
            return False
        return way == CONNECTED or network.reported[way].distance < network.feasible

    def _choose(self, network: Network, best: int, fits: Iterable[str]) -> None:
        near = [way for way in fits if self.distance(network, way) <= best * self.variance]
        network.successors = tuple(sorted(near, key=lambda way: (self.distance(network, way), way))[: self.most_paths])

    def _go_active(self, prefix: str, network: Network) -> None:
        """Query all neighbors except those on the interface of the lost successor."""
        network.successors = ()
        network.active = True
        network.asked = {near for near in self.neighbors if near not in network.owed}
        for neighbor in sorted(network.asked):
            self._send(neighbor, QUERY, prefix, Vector())
        self._maybe_done(prefix)

    def _maybe_done(self, prefix: str) -> None:
        network = self.networks[prefix]
        if not network.active or network.asked:
            return
        network.active = False
        network.feasible = INFINITE
        best = min((self.distance(network, way) for way in network.reported), default=INFINITE)
        if best != INFINITE:
            network.feasible = best
            self._choose(network, best, [way for way in network.reported if self._is_feasible(network, way)])
        self._tell(prefix, network, always=True)
        self._pay(prefix, network)
        self._forget(prefix)

    # -- updates -----------------------------------------------------------------------------------------------------

    def _shown(self, network: Network, neighbor: str) -> Vector:
        """Return the vector for a neighbor: unreachable for networks behind the neighbor's own interface."""
        if not network.successors:
            return Vector()
        if any(way != CONNECTED and self._same_link(way, neighbor) for way in network.successors):
            return Vector()
        return self.vector(network, network.successors[0])

    def _tell(self, prefix: str, network: Network, *, always: bool = False) -> None:
        now = self.vector(network, network.successors[0]).distance if network.successors else INFINITE
        if now == network.told and not always:
            return
        network.told = now
        for neighbor in self.neighbors:
            if neighbor not in network.owed:
                self._send(neighbor, UPDATE, prefix, self._shown(network, neighbor))

    def _pay(self, prefix: str, network: Network) -> None:
        for neighbor in sorted(network.owed):
            self._send(neighbor, REPLY, prefix, self._shown(network, neighbor))
        network.owed.clear()

    def _forget(self, prefix: str) -> None:
        network = self.networks.get(prefix)
        if network is None or network.active or network.successors or network.owed:
            return
        if all(vector.distance == INFINITE for vector in network.reported.values()):
            del self.networks[prefix]
