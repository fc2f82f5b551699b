"""One VRRP group on one interface: the state machine of RFC 3768 §6.4, with IOS's tracking."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.common.host import Shared
from pytest_netbench.platforms.cisco_ios.services.programs.common.links import Link
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Timer
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.redundancy import (
    Port,
    address_key,
    is_up,
    tracked_priority,
)
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.virtual_router import Held, VirtualRouter
from pytest_netbench.platforms.cisco_ios.services.programs.fhrp.vrrp_packet import (
    GROUP_ADDRESS,
    TTL,
    VrrpPacket,
    virtual_mac,
)

_OWNER = 255


class State(StrEnum):
    """States, with IOS's names."""

    INIT = "Init"
    BACKUP = "Backup"
    MASTER = "Master"


class VrrpGroup:
    """One VRRP group.

    Args:
        shared: Objects that services share.
        held: The virtual routers that this node holds.
        port: The interface, with a socket of protocol 112.
        config: ``interface label group address secondary priority preempt preempt_delay_s interval_s learn text
            tracks``.
    """

    def __init__(self, shared: Shared, held: Held, port: Port, config: Mapping[str, Any]) -> None:
        self._shared, self._loop, self._held, self._port = shared, shared.loop, held, port
        self.config = config
        self.state = State.INIT
        self.changes = 0
        self._since = self._loop.now()
        self._link: Link | None = None
        self._router: VirtualRouter | None = None
        self._master = ("", 0, 0.0)
        self._timer = self._preempt_timer = Timer(0, 0, None)

    @property
    def is_owner(self) -> bool:
        """Whether the virtual address is this router's own address."""
        return self._link is not None and self._link.address == self.config["address"]

    @property
    def priority(self) -> int:
        """The current priority: 255 for the owner of the address, else as configured with tracking, at least 1."""
        if self.is_owner:
            return _OWNER
        return max(1, tracked_priority(self.config["priority"], self.config["tracks"], self._shared))

    @property
    def waiting(self) -> list[str]:
        """What the group waits for: a backup that has not heard a master yet."""
        if self.state is not State.BACKUP or self._master[0]:
            return []
        return [f"VRRP group {self.config['group']} on {self.config['label']} is in state Backup and knows no master"]

    def report(self) -> dict[str, Any]:
        """Return the group for ``show vrrp``, with times in seconds of lab time."""
        address, priority, interval = self._master
        own = self.state is State.MASTER
        now = self._loop.now()
        return {
            "interface": self.config["label"],
            "group": self.config["group"],
            "state": str(self.state),
            "changes": self.changes,
            "since_s": now - self._since,
            "address": self.config["address"],
            "secondary": list(self.config["secondary"]),
            "mac": packets.mac_text(virtual_mac(self.config["group"])),
            "priority": self.priority,
            "owner": self.is_owner,
            "master": (self._link.address if self._link else "") if own else address,
            "master_priority": self.priority if own else priority,
            "master_interval_s": float(self.config["interval_s"]) if own else interval,
            "master_down_s": self._down_s(),
            "master_down_left_s": self._timer.left(now),
            "tracks_up": [is_up(track, self._shared) for track in self.config["tracks"]],
        }

    # -- events ------------------------------------------------------------------------------------------------

    def refresh(self, link: Link | None) -> None:
        """React to the current link state, tracks and configuration."""
        usable = link is not None and link.up and bool(link.address)
        moved = (
            self._link is not None
            and link is not None
            and (link.address, link.mac) != (self._link.address, self._link.mac)
        )
        if self.state is not State.INIT and (not usable or moved):
            self.resign()
        self._link = link
        if usable and self.state is State.INIT:
            self._start()
        elif self.state is State.MASTER:
            self._hold()

    def resign(self) -> None:
        """Leave the group and announce it."""
        if self.state is State.MASTER:
            self._advertise(priority=0)
        self._timer.cancel()
        self._preempt_timer.cancel()
        self._master = ("", 0, 0.0)
        self._enter(State.INIT)

    def _start(self) -> None:
        if self.priority == _OWNER:
            self._become_master()
        else:
            self._enter(State.BACKUP)
            self._await_master()

    def _become_master(self) -> None:
        self._preempt_timer.cancel()
        self._master = ("", 0, 0.0)
        self._enter(State.MASTER)
        self._tick()

    def _tick(self) -> None:
        self._timer.cancel()
        self._advertise(priority=self.priority)
        self._timer = self._loop.after(self.config["interval_s"], self._tick)

    @property
    def _advertised_s(self) -> int:
        """The advertised interval, in whole seconds."""
        return max(1, int(self.config["interval_s"]))

    def _down_s(self) -> float:
        learned = self.config["learn"] and self._master[2]
        interval = self._master[2] if learned else float(self.config["interval_s"])
        return 3 * interval + self._skew_s()

    def _skew_s(self) -> float:
        return (256 - self.priority) / 256

    def _await_master(self, seconds: float | None = None) -> None:
        self._timer.cancel()
        self._timer = self._loop.after(self._down_s() if seconds is None else seconds, self._become_master)

    def _enter(self, state: State) -> None:
        if state is self.state:
            return
        former, self.state = self.state, state
        self.changes += 1
        self._since = self._loop.now()
        if state is State.MASTER:
            self._hold()
        elif self._router is not None:
            self._held.release(self._router)
            self._router = None
        where = f"{self.config['label']} Grp {self.config['group']}"
        self._shared.log("VRRP", 6, "STATECHANGE", f"{where} state {former} -> {state}")

    def _hold(self) -> None:
        """Update the virtual router held by this node to the current configuration."""
        addresses = (self.config["address"], *self.config["secondary"])
        wanted = VirtualRouter(self.config["interface"], virtual_mac(self.config["group"]), addresses)
        if wanted != self._router:
            if self._router is not None:
                self._held.release(self._router)
            self._router = wanted
            self._held.take(wanted)

    # -- packets -----------------------------------------------------------------------------------------------------

    def _advertise(self, *, priority: int) -> None:
        if self._link is None:
            return
        packet = VrrpPacket(
            group=self.config["group"],
            priority=priority,
            interval_s=self._advertised_s,
            addresses=(self.config["address"], *self.config["secondary"]),
            text=self.config["text"],
        )
        mac = virtual_mac(self.config["group"])
        self._port.send(mac, self._link.address, GROUP_ADDRESS, packet.pack(), ttl=TTL)

    def receive(self, source: str, packet: VrrpPacket) -> None:
        """Handle an advertisement of this group from ``source``."""
        if self.state is State.INIT or packet.text != self.config["text"]:
            return
        if packet.interval_s != self._advertised_s and not self.config["learn"]:
            return
        if self.state is State.MASTER:
            self._heard_rival(source, packet)
        elif packet.priority == 0:
            self._await_master(self._skew_s())
        elif packet.priority >= self.priority or not self.config["preempt"]:
            self._preempt_timer.cancel()
            self._follow(source, packet)
        elif self.config["preempt_delay_s"]:
            self._follow(source, packet)
            if self._preempt_timer.call is None:
                self._preempt_timer = self._loop.after(self.config["preempt_delay_s"], self._become_master)

    def _heard_rival(self, source: str, packet: VrrpPacket) -> None:
        if packet.priority == 0:
            self._tick()
            return
        own = self.priority, address_key(self._link.address if self._link else "")
        if (packet.priority, address_key(source)) > own:
            self._enter(State.BACKUP)
            self._follow(source, packet)

    def _follow(self, source: str, packet: VrrpPacket) -> None:
        self._master = (source, packet.priority, float(packet.interval_s))
        self._await_master()
