"""Port transitions by agreement with the neighbor, or by timers without one (IEEE 802.1D-2004, clause 17)."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree import bpdu
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.bpdu import Bpdu
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.instance import (
    ALTERNATE,
    DESIGNATED,
    DISCARDING,
    FORWARDING,
    LEARNING,
    ROOT,
    Port,
    Tree,
)

_ROLES = {ROOT: bpdu.ROOT, DESIGNATED: bpdu.DESIGNATED}
_LOST_HELLOS = 3


class Rapid:
    """The mode ``rapid-pvst``."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    # ---- states ----

    def entered(self, port: Port, former: str) -> None:
        if port.role not in (ROOT, DESIGNATED) or port.inconsistent:
            self._discard(port)
        elif port.role == ROOT:
            self._become_root(port)
        else:
            self._become_designated(port, former)
        port.was_root = port.role == ROOT

    def _become_root(self, port: Port) -> None:
        port.proposing = False
        if port.state != FORWARDING:
            # the former root port has been handled before and discards, so there is no loop
            self._forward(port)

    def _become_designated(self, port: Port, former: str) -> None:
        if port.was_root:
            self._discard(port)
        if port.edge:
            self._forward(port)
        elif port.state != FORWARDING and port.step is None:
            port.proposing = True
            port.step = self._tree.loop.after(self._tree.times[2], lambda: self._advance(port))
            self._tree.send(port)
        elif former != DESIGNATED:
            self._tree.send(port)

    def _advance(self, port: Port) -> None:
        port.step = None
        if port.state == DISCARDING:
            self._tree.put(port, LEARNING)
            port.step = self._tree.loop.after(self._tree.times[2], lambda: self._advance(port))
        else:
            self._forward(port)

    def _discard(self, port: Port) -> None:
        port.stop()
        port.proposing = port.agreed = False
        if port.state != DISCARDING:
            self._tree.put(port, DISCARDING)

    def _forward(self, port: Port) -> None:
        port.stop()
        port.proposing = False
        if port.state == FORWARDING:
            return
        self._tree.put(port, FORWARDING)
        if not port.edge:
            self._topology_changed(port, cause=None)

    # ---- units ----

    def received(self, port: Port, unit: Bpdu) -> None:
        if unit.kind == bpdu.TCN:
            port.legacy = True
            port.acknowledge = True
            self._tree.send(port)
            self._topology_changed(port, cause=port)
            return
        port.legacy = unit.version == bpdu.STP
        if unit.role == bpdu.DESIGNATED:
            self._hear(port, unit)
        elif unit.agreement and port.role == DESIGNATED and unit.root == self._tree.root:
            port.agreed = True
            if not port.inconsistent:
                self._forward(port)
        if unit.topology_change:
            self._topology_changed(port, cause=port)

    def _hear(self, port: Port, unit: Bpdu) -> None:
        if not self.replaces(port, unit):
            # its sender has inferior information; if it forwards nevertheless, it does not receive our BPDUs
            if port.role == DESIGNATED:
                if unit.learning and unit.kind == bpdu.RST and port.state != DISCARDING:
                    self._discard(port)
                    self._become_designated(port, DESIGNATED)
                self._tree.send(port)
            return
        self._tree.note(port, unit)
        self._tree.decide()
        if unit.proposal and not port.legacy:
            self._answer(port)

    def _answer(self, port: Port) -> None:
        """Agree to a proposal, once no port behind this bridge can cause a loop."""
        if port.role == ROOT:
            for other in self._tree.active():
                if other.role == DESIGNATED and not other.edge and not other.agreed:
                    self._discard(other)
            self._tree.send(port)
            for other in self._tree.active():
                if other.role == DESIGNATED and not other.inconsistent:
                    self._become_designated(other, DESIGNATED)
        elif port.role in (ALTERNATE, DESIGNATED):
            self._tree.send(port)

    def replaces(self, port: Port, unit: Bpdu) -> bool:
        known = port.heard
        if known is None:
            return unit.vector < self._tree.vector_of(port)
        same_sender = (unit.bridge, unit.port) == (known.bridge, known.port)
        return same_sender or unit.vector < known.vector

    def lifetime(self, unit: Bpdu) -> float:
        left = max(0.0, unit.max_age - unit.message_age)
        return left if unit.version == bpdu.STP else min(left, _LOST_HELLOS * unit.hello)

    def unit_for(self, port: Port) -> Bpdu:
        tree = self._tree
        max_age, hello, delay = tree.times
        heard = tree.root_port.heard if tree.root_port else None
        acknowledged, port.acknowledge = port.acknowledge, False
        return Bpdu(
            version=bpdu.STP if port.legacy else bpdu.RSTP,
            kind=bpdu.CONFIG if port.legacy else bpdu.RST,
            root=tree.root,
            cost=tree.cost,
            bridge=tree.identifier,
            port=port.identifier,
            role=_ROLES.get(port.role, bpdu.ALTERNATE),
            topology_change=port.changing is not None,
            acknowledged=acknowledged,
            proposal=port.proposing,
            agreement=port.role != DESIGNATED,
            learning=port.state != DISCARDING,
            forwarding=port.state == FORWARDING,
            message_age=heard.message_age + 1 if heard else 0,
            max_age=max_age,
            hello=hello,
            forward_delay=delay,
        )

    def tick(self) -> None:
        for port in self._tree.active():
            if port.role == DESIGNATED or port.changing is not None:
                self._say(port)

    def _say(self, port: Port) -> None:
        if port.role == ROOT and port.legacy:
            self._tree.transmit(port, Bpdu(version=bpdu.STP, kind=bpdu.TCN))
        else:
            self._tree.send(port)

    # ---- topology changes ----

    def _topology_changed(self, port: Port, *, cause: Port | None) -> None:
        """Flush addresses learned on other ports and propagate the change; ``cause`` is the port that reported it."""
        self._tree.changed(port)
        for other in self._tree.active():
            if other is cause or other.edge:
                continue
            if other is not port or cause is None:
                self._tree.medium.forget(self._tree, other)
            self._announce(other)

    def _announce(self, port: Port) -> None:
        if port.changing is not None:
            return
        port.changing = self._tree.loop.after(2 * self._tree.times[1], lambda: self._announced(port))
        self._say(port)

    def _announced(self, port: Port) -> None:
        port.changing = None
