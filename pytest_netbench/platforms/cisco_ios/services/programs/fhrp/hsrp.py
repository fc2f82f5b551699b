"""One HSRP group on one interface: the state machine of RFC 2281 §5.

Priority, timers, preemption and tracks may change while it runs; a changed virtual address or version makes it a new
group.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.common.host import Shared
from pytest_netbench.platforms.cisco_ios.services.programs.common.links import Link
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Timer
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.hsrp_packet import (
    GROUP_ADDRESS,
    PORT,
    HsrpPacket,
    Opcode,
    State,
    virtual_mac,
)
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.redundancy import (
    Port,
    address_key,
    is_up,
    tracked_priority,
)
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.virtual_router import Held, VirtualRouter

# a group that never learns its address stays in LEARN: readiness does not wait for it
_UNSETTLED = {State.LISTEN, State.SPEAK}


class Peer:
    """The active or the standby router of a group, according to its hellos; removed when they stop."""

    def __init__(self, address: str, packet: HsrpPacket) -> None:
        self.address = address
        self.packet = packet

    def report(self, left_s: float) -> dict[str, Any]:
        """Return the peer for ``show standby``."""
        mac = packets.mac_text(self.packet.identifier) if any(self.packet.identifier) else ""
        return {"address": self.address, "priority": self.packet.priority, "left_s": left_s, "mac": mac}


class HsrpGroup:
    """One HSRP group.

    Args:
        shared: Objects that services share.
        held: The virtual routers that this node holds.
        port: The interface, with a UDP socket.
        config: ``interface label group version address secondary priority preempt preempt_delay_s hello_ms hold_ms text
            md5 mac tracks name``; see ``fhrp.py``.
    """

    def __init__(self, shared: Shared, held: Held, port: Port, config: Mapping[str, Any]) -> None:
        self._shared, self._loop, self._held, self._port = shared, shared.loop, held, port
        self.config = config
        self.state = State.INIT
        self.changes = 0
        self._since = self._loop.now()
        self._link: Link | None = None
        self._router: VirtualRouter | None = None
        self._active: Peer | None = None
        self._standby: Peer | None = None
        self._active_timer = self._standby_timer = self._hello_timer = self._preempt_timer = Timer(0, 0, None)
        self._learned = ""
        self._preempt_from = 0.0

    # -- state -----------------------------------------------------------------------------------------------

    @property
    def priority(self) -> int:
        """The current priority, with tracking."""
        return tracked_priority(self.config["priority"], self.config["tracks"], self._shared)

    @property
    def address(self) -> str:
        """The virtual address, configured or learned; "" if it is unknown."""
        return self.config["address"] or self._learned

    @property
    def mac(self) -> bytes:
        """The virtual MAC address."""
        own = self._link.mac if self._link else bytes(6)
        chosen = self.config["mac"]
        if chosen:
            return own if chosen == "bia" else packets.mac(chosen)
        return virtual_mac(self.config["version"], self.config["group"])

    @property
    def waiting(self) -> list[str]:
        """What the group waits for until it is settled."""
        if self.state not in _UNSETTLED or (self.state is State.LISTEN and self._active and self._standby):
            return []
        where = f"HSRP group {self.config['group']} on {self.config['label']}"
        return [f"{where} is in state {self.state.name.capitalize()}, expected Active or Standby"]

    def report(self) -> dict[str, Any]:
        """Return the group for ``show standby``, with times in seconds of lab time."""
        now = self._loop.now()
        return {
            "interface": self.config["label"],
            "group": self.config["group"],
            "version": self.config["version"],
            "state": self.state.name.capitalize(),
            "changes": self.changes,
            "since_s": now - self._since,
            "address": self.address,
            "secondary": list(self.config["secondary"]),
            "mac": packets.mac_text(self.mac),
            "local_mac": packets.mac_text(virtual_mac(self.config["version"], self.config["group"])),
            "priority": self.priority,
            "next_hello_s": self._hello_timer.left(now),
            "hello_ms": self._timers[0],
            "hold_ms": self._timers[1],
            "active": "local" if self.state is State.ACTIVE else _report(self._active, self._active_timer, now),
            "standby": "local" if self.state is State.STANDBY else _report(self._standby, self._standby_timer, now),
            "tracks_up": [is_up(track, self._shared) for track in self.config["tracks"]],
        }

    @property
    def _timers(self) -> tuple[int, int]:
        """Return hello and hold time: those learned from another active router, else the configured ones."""
        own: tuple[int, int] = (self.config["hello_ms"], self.config["hold_ms"])
        if self._active is None or self._counts_milliseconds:
            return own
        return self._active.packet.hello_ms, self._active.packet.hold_ms

    @property
    def _counts_milliseconds(self) -> bool:
        """Whether packets of version 1 cannot carry the timers; then no timers are learned from them."""
        times = self.config["hello_ms"], self.config["hold_ms"]
        return self.config["version"] == 1 and any(time % 1000 for time in times)

    def _hold_of(self, packet: HsrpPacket) -> int:
        return self.config["hold_ms"] if self._counts_milliseconds else packet.hold_ms

    def _rank(self) -> tuple[int, bytes]:
        return self.priority, address_key(self._link.address if self._link else "")

    # -- events ------------------------------------------------------------------------------------------------

    def refresh(self, link: Link | None) -> None:
        """React to the current link state, tracks and configuration."""
        usable = link is not None and link.up and bool(link.address) and self._enabled()
        moved = (
            self._link is not None
            and link is not None
            and (link.address, link.mac) != (self._link.address, self._link.mac)
        )
        if self.state is not State.INIT and (not usable or moved):
            self._stop()
        self._link = link
        if usable and self.state is State.INIT:
            # this router may preempt only after it has been up for the configured delay
            self._preempt_from = self._loop.now() + self.config["preempt_delay_s"]
            self._listen()
        elif self.state is State.ACTIVE:
            self._hold()

    def _enabled(self) -> bool:
        return all(is_up(track, self._shared) for track in self.config["tracks"] if track.get("shutdown"))

    def resign(self) -> None:
        """Leave the group and announce it."""
        self._stop()

    def _stop(self) -> None:
        was = self.state
        for timer in (self._active_timer, self._standby_timer, self._hello_timer, self._preempt_timer):
            timer.cancel()
        if was is State.ACTIVE:
            self._send(Opcode.RESIGN)
        self._active = self._standby = None
        self._enter(State.INIT)

    def _listen(self) -> None:
        self._enter(State.LISTEN if self.address else State.LEARN)
        self._restart_active()
        self._restart_standby()

    def _speak(self) -> None:
        self._restart_standby()
        self._enter(State.SPEAK)
        self._hello()

    def _become_standby(self) -> None:
        self._standby_timer.cancel()
        self._standby = None
        self._enter(State.STANDBY)
        if self._active is None:
            self._become_active()
        else:
            self._hello()

    def _become_active(self) -> None:
        self._active_timer.cancel()
        self._preempt_timer.cancel()
        self._active = None
        self._restart_standby()
        self._enter(State.ACTIVE)
        self._hello()

    def _enter(self, state: State) -> None:
        if state is self.state:
            return
        former, self.state = self.state, state
        self.changes += 1
        self._since = self._loop.now()
        if state not in {State.SPEAK, State.STANDBY, State.ACTIVE}:
            self._hello_timer.cancel()
        if state is State.ACTIVE:
            self._hold()
        elif former is State.ACTIVE and self._router is not None:
            self._held.release(self._router)
            self._router = None
        if State.ACTIVE in {former, state} or State.STANDBY in {former, state}:
            names = f"{former.name.capitalize()} -> {state.name.capitalize()}"
            where = f"{self.config['label']} Grp {self.config['group']}"
            self._shared.log("HSRP", 5, "STATECHANGE", f"{where} state {names}")

    def _hold(self) -> None:
        """Update the virtual router held by this node to the current configuration."""
        wanted = VirtualRouter(self.config["interface"], self.mac, (self.address, *self.config["secondary"]))
        if wanted != self._router:
            if self._router is not None:
                self._held.release(self._router)
            self._router = wanted
            self._held.take(wanted)

    # -- timers ------------------------------------------------------------------------------------------------------

    def _restart_active(self, hold_ms: int | None = None) -> None:
        self._active_timer.cancel()
        self._active_timer = self._loop.after((hold_ms or self._timers[1]) / 1000, self._active_lost)

    def _restart_standby(self, hold_ms: int | None = None) -> None:
        self._standby_timer.cancel()
        self._standby_timer = self._loop.after((hold_ms or self._timers[1]) / 1000, self._standby_lost)

    def _active_lost(self) -> None:
        self._active = None
        if self.state is State.LISTEN:
            self._speak()
        elif self.state is State.STANDBY:
            self._become_active()

    def _standby_lost(self) -> None:
        self._standby = None
        if self.state is State.LISTEN:
            self._speak()
        elif self.state is State.SPEAK:
            self._become_standby()

    def _hello(self) -> None:
        self._hello_timer.cancel()
        self._send(Opcode.HELLO)
        self._hello_timer = self._loop.after(self._timers[0] / 1000, self._hello)

    # -- packets -----------------------------------------------------------------------------------------------------

    def _send(self, opcode: Opcode) -> None:
        if self._link is None:
            return
        version = self.config["version"]
        hello_ms, hold_ms = self._timers
        packet = HsrpPacket(
            version=version,
            opcode=opcode,
            state=self.state,
            group=self.config["group"],
            priority=self.priority,
            hello_ms=hello_ms,
            hold_ms=hold_ms,
            address=self.address or packets.UNSPECIFIED,
            text="" if self.config["md5"] else self.config["text"],
            identifier=self._link.mac,
        )
        if self.config["md5"]:
            packet = packet.signed(self.config["md5"])
        # the active router sends from the virtual MAC address, so that switches learn its port
        source_mac = self.mac if self.state is State.ACTIVE else self._link.mac
        group = GROUP_ADDRESS[version]
        payload = packets.udp(self._link.address, PORT, group, PORT, packet.pack())
        self._port.send(source_mac, self._link.address, group, payload, ttl=1)

    def receive(self, source: str, packet: HsrpPacket) -> None:
        """Handle a packet of this group's number and version from ``source``."""
        if self.state is State.INIT or not self._authentic(packet):
            return
        if packet.opcode is Opcode.RESIGN:
            self._resigned(source)
        elif packet.opcode is Opcode.COUP:
            if self.state is State.ACTIVE and self._beaten_by(source, packet):
                self._heard_active(source, packet)
                self._speak()
        elif packet.state is State.ACTIVE:
            self._hello_of_active(source, packet)
        elif packet.state is State.STANDBY:
            self._hello_of_standby(source, packet)
        elif packet.state is State.SPEAK and self.state is State.SPEAK and self._beaten_by(source, packet):
            self._restart_standby()
            self._enter(State.LISTEN)

    def _authentic(self, packet: HsrpPacket) -> bool:
        key = self.config["md5"]
        if key:
            return packet.digest == packet.signed(key).digest
        return not packet.digest and packet.text == self.config["text"]

    def _beaten_by(self, source: str, packet: HsrpPacket) -> bool:
        return (packet.priority, address_key(source)) > self._rank()

    def _hello_of_active(self, source: str, packet: HsrpPacket) -> None:
        if self.state is State.ACTIVE:
            if self._beaten_by(source, packet):
                self._heard_active(source, packet)
                self._speak()
            else:
                self._send(Opcode.HELLO)
            return
        if self._standby is not None and self._standby.address == source:
            # the standby router became active: there is no standby router until one announces itself
            self._standby = None
            self._restart_standby()
        self._heard_active(source, packet)
        if self.state is State.LEARN:
            self._learned = packet.address
            self._enter(State.LISTEN)
        elif self.config["preempt"] and packet.priority < self.priority:
            self._preempt()

    def _preempt(self) -> None:
        delay = self._preempt_from - self._loop.now()
        if delay <= 0:
            self._send_coup()
        elif not self._preempt_timer.call:
            self._preempt_timer = self._loop.after(delay, self._preempt_now)

    def _preempt_now(self) -> None:
        active = self._active
        if self.state is not State.ACTIVE and active is not None and active.packet.priority < self.priority:
            self._send_coup()

    def _send_coup(self) -> None:
        self._send(Opcode.COUP)
        self._become_active()

    def _hello_of_standby(self, source: str, packet: HsrpPacket) -> None:
        beaten = self._beaten_by(source, packet)
        if self.state is State.LISTEN and not beaten:
            self._speak()
            return
        if self.state is State.SPEAK and not beaten:
            self._become_standby()
            return
        if self.state is State.STANDBY and not beaten:
            return
        self._heard_standby(source, packet)
        if self.state in {State.SPEAK, State.STANDBY}:
            self._enter(State.LISTEN)

    def _resigned(self, source: str) -> None:
        if self._active is None or self._active.address != source:
            return
        self._active = None
        if self.state is State.STANDBY:
            self._become_active()
        elif self.state is State.LISTEN:
            self._restart_active()
            self._speak()

    def _heard_active(self, source: str, packet: HsrpPacket) -> None:
        self._restart_active(self._hold_of(packet))
        self._active = Peer(source, packet)

    def _heard_standby(self, source: str, packet: HsrpPacket) -> None:
        self._restart_standby(self._hold_of(packet))
        self._standby = Peer(source, packet)


def _report(peer: Peer | None, timer: Timer, now: float) -> dict[str, Any] | None:
    return None if peer is None else peer.report(timer.left(now))
