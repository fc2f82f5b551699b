"""The spanning tree of one VLAN: root, port roles and port states (IEEE 802.1D-1998 and -2004).

A tree is independent of frames and of the switch: it receives link changes and BPDUs, and calls a ``Medium`` to send
BPDUs and to set port states. How a port reaches forwarding is defined by ``classic`` (timers) and ``rapid``
(agreement).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Loop, Timer
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree import bpdu
from pytest_netbench.platforms.cisco_ios.services.programs.spanning_tree.bpdu import Bpdu

DISCARDING, LEARNING, FORWARDING = range(3)
ROOT, DESIGNATED, ALTERNATE, BACKUP, DISABLED = "root", "designated", "alternate", "backup", "disabled"
ADDRESS_BITS = 48


@dataclass(frozen=True, kw_only=True)
class PortSettings:
    """The configuration of a port in a tree. ``guard``: ``root``, ``loop`` or ""."""

    cost: int = 4
    priority: int = 128
    edge: bool = False
    guard: str = ""
    silent: bool = False
    """Neither sends nor receives BPDUs."""


@dataclass(frozen=True, kw_only=True)
class TreeSettings:
    """The configuration of a tree. The priority is without the VLAN's number, which the identifier adds."""

    priority: int = 32768
    hello: float = 2.0
    forward_delay: float = 15.0
    max_age: float = 20.0


class Medium(Protocol):
    """The switch as a tree uses it."""

    def set_state(self, tree: Tree, port: Port) -> None:
        """Set the switch's port to ``port.state``."""
        ...

    def send(self, tree: Tree, port: Port, unit: Bpdu) -> None: ...

    def forget(self, tree: Tree, port: Port) -> None:
        """Forget addresses learned on ``port``."""
        ...

    def set_ageing(self, tree: Tree, *, fast: bool) -> None:
        """Set the ageing time to the forward delay, or back to the default."""
        ...

    def guarded(self, tree: Tree, port: Port, guard: str, *, blocks: bool) -> None:
        """Root guard or loop guard (``guard``: ``root`` or ``loop``) begins to block a port, or ends."""
        ...


@dataclass(eq=False)
class Port:
    """A port of the tree. ``heard`` is the best valid BPDU of another bridge on its segment."""

    name: str
    number: int
    settings: PortSettings
    role: str = DISABLED
    state: int = DISCARDING
    edge: bool = False
    heard: Bpdu | None = None
    heard_at: float = 0.0
    inconsistent: str = ""
    expiry: Timer | None = None
    mismatch: Timer | None = None
    """The timer until a native VLAN mismatch is considered resolved."""
    step: Timer | None = None
    """The timer of the next state transition."""
    changing: Timer | None = None
    """The timer while the port signals a topology change (rapid)."""
    proposing: bool = False
    agreed: bool = False
    legacy: bool = False
    acknowledge: bool = False
    was_root: bool = False
    sent: int = 0
    received: int = 0
    transitions: int = 0

    @property
    def identifier(self) -> int:
        """Priority and number as one number."""
        return self.settings.priority << 8 | self.number

    def stop(self) -> None:
        """Cancel timed state transitions."""
        if self.step is not None:
            self.step.cancel()
            self.step = None


class Mode(Protocol):
    """The rules by which ports of a tree reach forwarding."""

    def entered(self, port: Port, former: str) -> None:
        """Handle a possible change of the role of ``port``, or of its conditions."""
        ...

    def received(self, port: Port, unit: Bpdu) -> None: ...

    def unit_for(self, port: Port) -> Bpdu: ...

    def tick(self) -> None:
        """A hello time has passed."""
        ...

    def lifetime(self, unit: Bpdu) -> float:
        """Return the number of seconds for which ``unit`` is valid."""
        ...

    def replaces(self, port: Port, unit: Bpdu) -> bool:
        """Whether ``unit`` replaces the BPDU heard before on a port."""
        ...


@dataclass
class Tree:
    """The tree of one VLAN."""

    vlan: int
    address: int
    settings: TreeSettings
    loop: Loop
    medium: Medium
    make_mode: Callable[[Tree], Mode]
    ports: dict[str, Port] = field(default_factory=dict)
    root_port: Port | None = None
    changes: int = 0
    changed_at: float = 0.0
    changed_by: str = ""
    mode: Mode = field(init=False)
    _offer: Bpdu | None = None
    """The BPDU of the root port when it was chosen."""

    def __post_init__(self) -> None:
        self.mode = self.make_mode(self)
        self.changed_at = self.loop.now()
        self._ticker = self.loop.after(self.settings.hello, self._tick)

    # ---- who is root ----

    @property
    def identifier(self) -> int:
        """The identifier of this bridge."""
        return (self.settings.priority + self.vlan) << ADDRESS_BITS | self.address

    @property
    def is_root(self) -> bool:
        """Whether this bridge considers itself the root."""
        return self.root_port is None

    @property
    def root(self) -> int:
        """The root bridge's identifier."""
        return self.identifier if self._offer is None else self._offer.root

    @property
    def cost(self) -> int:
        """The cost of the path to the root."""
        if self.root_port is None or self._offer is None:
            return 0
        return self._offer.cost + self.root_port.settings.cost

    @property
    def times(self) -> tuple[float, float, float]:
        """Maximum age, hello and forward delay of the root."""
        unit = self._offer or self.settings
        return unit.max_age, unit.hello, unit.forward_delay

    def vector_of(self, port: Port) -> tuple[int, int, int, int]:
        """Return the priority vector that this bridge sends on ``port``."""
        return self.root, self.cost, self.identifier, port.identifier

    def decide(self) -> None:
        """Choose the root port and all port roles; let the mode handle the changes."""
        before = (self.root, self.cost)
        best, chosen = (self.identifier, 0, self.identifier, 0, 0), None
        for port in self.ports.values():
            if port.role == DISABLED or port.heard is None or port.settings.guard == "root":
                continue
            unit = port.heard
            offer = (unit.root, unit.cost + port.settings.cost, unit.bridge, unit.port, port.identifier)
            if unit.bridge != self.identifier and offer < best:
                best, chosen = offer, port
        self.root_port, self._offer = chosen, chosen.heard if chosen is not None else None
        news = before != (self.root, self.cost)
        formers = {}
        for port in self.ports.values():
            if port.role != DISABLED:
                formers[port.name] = port.role
                port.role = self._role(port)
                port.agreed = port.agreed and not news
        # the root port last: a former root port blocks before the new one forwards
        for port in sorted(self.ports.values(), key=lambda port: port.role == ROOT):
            if port.name in formers:
                self.mode.entered(port, formers[port.name])
        if news:
            self.tell()

    def tell(self) -> None:
        """Send BPDUs on every designated port."""
        for port in self.active():
            if port.role == DESIGNATED:
                self.send(port)

    def _role(self, port: Port) -> str:
        if port is self.root_port:
            return ROOT
        if port.heard is None or port.heard.vector >= self.vector_of(port):
            self._unguard(port, "root")
            return DESIGNATED
        if port.settings.guard == "root":
            self._guard(port, "root")
            return DESIGNATED
        return BACKUP if port.heard.bridge == self.identifier else ALTERNATE

    # ---- links and configuration ----

    def add(self, name: str, number: int, settings: PortSettings) -> None:
        """Add a port whose link is up."""
        self.ports[name] = Port(name, number, settings, role=DESIGNATED, edge=settings.edge)
        self.decide()

    def reconfigure(self, settings: TreeSettings) -> None:
        """Change priority or times, but not the mode."""
        self.settings = settings
        self.decide()
        self.tell()

    def configure(self, name: str, settings: PortSettings) -> None:
        """Change the configuration of a port."""
        port = self.ports[name]
        if port.settings == settings:
            return
        if port.settings.edge != settings.edge:
            port.edge = settings.edge
        port.settings = settings
        self.decide()

    def remove(self, name: str) -> None:
        """Remove a port whose link went down or which left the VLAN."""
        self._take_out(name)
        self.decide()

    def _take_out(self, name: str) -> None:
        port = self.ports.pop(name)
        port.role = DISABLED
        for timer in (port.expiry, port.step, port.changing, port.mismatch):
            if timer is not None:
                timer.cancel()
        self.medium.forget(self, port)
        self.put(port, DISCARDING)

    def close(self) -> None:
        """Stop the tree; its ports discard."""
        self._ticker.cancel()
        for name in list(self.ports):
            self._take_out(name)

    # ---- units ----

    def receive(self, name: str, unit: Bpdu) -> None:
        """Handle a BPDU received on a port."""
        port = self.ports.get(name)
        if port is None or port.settings.silent:
            return
        port.received += 1
        if unit.kind != bpdu.TCN and unit.bridge == self.identifier and unit.port == port.identifier:
            return
        port.edge = False
        self._unguard(port, "loop")
        self.mode.received(port, unit)

    def note(self, port: Port, unit: Bpdu) -> None:
        """Store a received BPDU until it expires."""
        port.heard, port.heard_at = unit, self.loop.now()
        if port.expiry is not None:
            port.expiry.cancel()
        port.expiry = self.loop.after(self.mode.lifetime(unit), lambda: self._expired(port))

    def _expired(self, port: Port) -> None:
        port.heard, port.expiry = None, None
        if port.settings.guard == "loop" and port.role != DESIGNATED:
            self._guard(port, "loop")
        self.decide()

    def _guard(self, port: Port, guard: str) -> None:
        if port.inconsistent != guard:
            port.inconsistent = guard
            self.medium.guarded(self, port, guard, blocks=True)

    def _unguard(self, port: Port, guard: str) -> None:
        if port.inconsistent == guard:
            port.inconsistent = ""
            self.medium.guarded(self, port, guard, blocks=False)

    def send(self, port: Port) -> None:
        """Send a BPDU on ``port``."""
        self.transmit(port, self.mode.unit_for(port))

    def transmit(self, port: Port, unit: Bpdu) -> None:
        """Send a BPDU, unless the port is silent."""
        if not port.settings.silent:
            port.sent += 1
            self.medium.send(self, port, unit)

    def _tick(self) -> None:
        self._ticker = self.loop.after(self.times[1], self._tick)
        self.mode.tick()

    # ---- states ----

    def put(self, port: Port, state: int) -> None:
        """Change the state of a port."""
        if state == port.state:
            return
        port.state = state
        port.transitions += state == FORWARDING
        if state == DISCARDING:
            self.medium.forget(self, port)
        self.medium.set_state(self, port)

    def active(self) -> Iterable[Port]:
        """Root and designated ports."""
        return [port for port in self.ports.values() if port.role in (ROOT, DESIGNATED)]

    def changed(self, port: Port) -> None:
        """Count a topology change."""
        self.changes += 1
        self.changed_at = self.loop.now()
        self.changed_by = port.name

    @property
    def waiting(self) -> list[str]:
        """Ports that will reach forwarding by a timer or an agreement."""
        return [port.name for port in self.active() if port.state != FORWARDING and not port.inconsistent]
