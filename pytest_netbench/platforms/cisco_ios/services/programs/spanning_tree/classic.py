"""Port transitions by timers alone: listening, learning, forwarding (IEEE 802.1D-1998, clause 8)."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Timer
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree import bpdu
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.bpdu import Bpdu
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.instance import (
    DESIGNATED,
    DISCARDING,
    FORWARDING,
    LEARNING,
    ROOT,
    Port,
    Tree,
)


class Classic:
    """The mode ``pvst``."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._announcing: Timer | None = None
        """On the root: the timer while its BPDUs signal a topology change."""
        self._telling = False
        """On other bridges: whether a topology change is signalled and not yet acknowledged by the root's side."""
        self._fast = False

    # ---- states ----

    def entered(self, port: Port, former: str) -> None:
        if port.role not in (ROOT, DESIGNATED) or port.inconsistent:
            self._block(port)
        elif port.state == DISCARDING and port.step is None:
            if port.edge:
                self._tree.put(port, FORWARDING)
            else:
                port.step = self._tree.loop.after(self._delay, lambda: self._advance(port))
        if port.role == DESIGNATED and former != DESIGNATED:
            self._tree.send(port)
        if port.role == ROOT and self._telling:
            self._tell()

    @property
    def _delay(self) -> float:
        return self._tree.times[2]

    def _block(self, port: Port) -> None:
        port.stop()
        if port.state == DISCARDING:
            return
        self._tree.put(port, DISCARDING)
        self._topology_changed(port)

    def _advance(self, port: Port) -> None:
        port.step = None
        self._tree.put(port, port.state + 1)
        if port.state == LEARNING:
            port.step = self._tree.loop.after(self._delay, lambda: self._advance(port))
        elif not port.edge:
            self._topology_changed(port)

    # ---- units ----

    def received(self, port: Port, unit: Bpdu) -> None:
        if unit.kind == bpdu.TCN:
            if port.role == DESIGNATED:
                port.acknowledge = True
                self._tree.send(port)
                self._topology_changed(port)
            return
        if unit.kind != bpdu.CONFIG:
            # a rapid bridge changes to classic BPDUs when it receives them
            if port.role == DESIGNATED:
                self._tree.send(port)
            return
        if self.replaces(port, unit):
            self._tree.note(port, unit)
            self._tree.decide()
            if port.role == ROOT:
                self._follow(unit)
                self._tree.tell()
        elif port.role == DESIGNATED and unit.vector > self._tree.vector_of(port):
            self._tree.send(port)

    def replaces(self, port: Port, unit: Bpdu) -> bool:
        known = port.heard
        if known is not None:
            return unit.vector <= known.vector
        return unit.vector < self._tree.vector_of(port)

    def lifetime(self, unit: Bpdu) -> float:
        return max(0.0, unit.max_age - unit.message_age)

    def unit_for(self, port: Port) -> Bpdu:
        tree = self._tree
        max_age, hello, delay = tree.times
        heard = tree.root_port.heard if tree.root_port else None
        acknowledged, port.acknowledge = port.acknowledge, False
        return Bpdu(
            version=bpdu.STP,
            kind=bpdu.CONFIG,
            root=tree.root,
            cost=tree.cost,
            bridge=tree.identifier,
            port=port.identifier,
            topology_change=heard.topology_change if heard else self._announcing is not None,
            acknowledged=acknowledged,
            message_age=self._age_of(tree.root_port) if tree.root_port else 0,
            max_age=max_age,
            hello=hello,
            forward_delay=delay,
        )

    def _age_of(self, port: Port) -> float:
        """Return the age of the root's information.

        It includes the time in this bridge; otherwise old information would circulate forever.
        """
        return port.heard.message_age + self._tree.loop.now() - port.heard_at + 1 if port.heard else 0

    def tick(self) -> None:
        if self._tree.is_root:
            self._tree.tell()
        elif self._telling:
            self._tell()

    # ---- topology changes ----

    def _topology_changed(self, port: Port) -> None:
        tree = self._tree
        tree.changed(port)
        if not tree.is_root:
            self._telling = True
            self._tell()
            return
        if self._announcing is not None:
            self._announcing.cancel()
        max_age, _, delay = tree.times
        self._announcing = tree.loop.after(max_age + delay, self._announced)
        self._age(fast=True)
        self._tree.tell()

    def _announced(self) -> None:
        self._announcing = None
        self._age(fast=False)

    def _tell(self) -> None:
        if self._tree.root_port is not None:
            self._tree.transmit(self._tree.root_port, Bpdu(version=bpdu.STP, kind=bpdu.TCN))

    def _follow(self, unit: Bpdu) -> None:
        """Follow the root's topology change flag."""
        if unit.acknowledged:
            self._telling = False
        self._age(fast=unit.topology_change)

    def _age(self, *, fast: bool) -> None:
        if fast != self._fast:
            self._fast = fast
            self._tree.medium.set_ageing(self._tree, fast=fast)
