"""Port security: permitted source addresses of a port, and the reaction to violations."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Timer
from pytest_netbench.platforms.cisco_ios.services.programs.switching.attachment import Attachment, Switch
from pytest_netbench.platforms.cisco_ios.services.programs.switching.dataplane import Frame

CONFIGURED, STICKY, DYNAMIC = "SecureConfigured", "SecureSticky", "SecureDynamic"
VIOLATION = "psecure-violation"

Secured = tuple[int, str]
"""A VLAN and an address in it."""


@dataclass(eq=False)
class Guard:
    """A port with port security. It exists as long as port security is configured, whatever the link state."""

    config: dict[str, Any]
    addresses: dict[Secured, str] = field(default_factory=dict)
    timers: dict[Secured, Timer] = field(default_factory=dict)
    violations: int = 0
    last: tuple[str, int] = ("00:00:00:00:00:00", 0)
    attachment: Attachment | None = None
    """The attachment that has the addresses."""


class PortSecurity:
    """Port security on all ports of a switch."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._guards: dict[str, Guard] = {}

    def refresh(self) -> None:
        """Apply the configuration: add, update and remove guards."""
        ports = self._switch.config.get("ports", {})
        wanted = {name: port["security"] for name, port in ports.items() if port.get("security")}
        for name in [name for name in self._guards if name not in wanted]:
            self._end(name)
        for name, config in wanted.items():
            guard = self._guards.setdefault(name, Guard(config))
            self._refresh(name, guard, config)

    def _refresh(self, name: str, guard: Guard, config: dict[str, Any]) -> None:
        attachment = self._switch.held.get(name)
        guard.config = config
        if attachment is None:
            return
        if guard.attachment is not attachment:
            guard.attachment = attachment
            self._switch.order("secure", attachment.number, 1)
            for vlan, mac in guard.addresses:
                self._switch.order("static", attachment.number, vlan, mac)
        if not attachment.up:
            self._forget(guard, DYNAMIC)
        self._set_configured(guard, attachment)
        if not config["sticky"]:
            for key in [key for key, kind in guard.addresses.items() if kind == STICKY]:
                guard.addresses[key] = DYNAMIC

    def _set_configured(self, guard: Guard, attachment: Attachment) -> None:
        vlans = [domain for domain, tag in attachment.tags.items() if tag == 0]
        kinds = dict.fromkeys(guard.config["static"], CONFIGURED) | dict.fromkeys(guard.config["kept"], STICKY)
        wanted = {(vlan, mac): kind for vlan in vlans for mac, kind in kinds.items()}
        present = set(attachment.tags)
        for key, kind in list(guard.addresses.items()):
            if key[0] not in present or (kind == CONFIGURED and key not in wanted):
                self._remove(guard, key)
        for key, kind in wanted.items():
            if guard.addresses.get(key) != kind:
                self._add(guard, key, kind)

    def _end(self, name: str) -> None:
        guard = self._guards.pop(name)
        for key in list(guard.addresses):
            self._remove(guard, key)
        if guard.attachment is not None and self._switch.held.get(name) is guard.attachment:
            self._switch.order("secure", guard.attachment.number, 0)

    def close(self) -> None:
        """Remove all guards."""
        for guard in self._guards.values():
            for timer in guard.timers.values():
                timer.cancel()
        self._guards.clear()

    # ---- addresses ----

    def _add(self, guard: Guard, key: Secured, kind: str) -> None:
        guard.addresses[key] = kind
        if guard.attachment is not None:
            self._switch.order("static", guard.attachment.number, *key)
        if kind == DYNAMIC and guard.config["ageing"]:
            guard.timers[key] = self._switch.shared.loop.after(
                guard.config["ageing"], partial(self._remove, guard, key)
            )

    def _remove(self, guard: Guard, key: Secured) -> None:
        guard.addresses.pop(key, None)
        timer = guard.timers.pop(key, None)
        if timer is not None:
            timer.cancel()
        self._switch.order("forget", *key)

    def _forget(self, guard: Guard, kind: str) -> None:
        for key in [key for key, known in guard.addresses.items() if known == kind]:
            self._remove(guard, key)

    def clear(self, what: str, name: str = "") -> None:
        """Remove learned addresses (``dynamic``, ``sticky`` or ``all``), on one port or on all."""
        for port, guard in self._guards.items():
            for word, kind in (("dynamic", DYNAMIC), ("sticky", STICKY)):
                if name in ("", port) and what in (word, "all"):
                    self._forget(guard, kind)

    # ---- frames ----

    def stranger(self, attachment: Attachment, frame: Frame) -> None:
        """Handle a frame from an address that the port does not know."""
        guard = self._guards.get(attachment.name)
        # on a busy machine a frame may wait here while its port goes down
        if guard is None or attachment.disabled or not attachment.up:
            return
        key = frame.domain, packets.mac_text(frame.data[6:12])
        elsewhere = any(key in other.addresses for other in self._guards.values() if other is not guard)
        if not elsewhere and len(guard.addresses) < guard.config["maximum"]:
            self._add(guard, key, STICKY if guard.config["sticky"] else DYNAMIC)
            if self._switch.plane is not None:
                self._switch.plane.judge_again(frame)
            return
        self._violated(attachment, guard, key)

    def _violated(self, attachment: Attachment, guard: Guard, key: Secured) -> None:
        vlan, mac = key
        guard.last = mac, vlan
        if guard.config["violation"] == "protect":
            return
        guard.violations += 1
        address = ".".join(mac.replace(":", "")[at : at + 4] for at in (0, 4, 8))
        self._switch.shared.log(
            "PORT_SECURITY",
            2,
            "PSECURE_VIOLATION",
            f"Security violation occurred, caused by MAC address {address} on port {attachment.name}.",
        )
        if guard.config["violation"] == "shutdown":
            self._switch.disable(attachment, VIOLATION)

    # ---- what is asked ----

    def state(self) -> dict[str, Any]:
        """Return addresses and violations by port."""
        return {
            name: {
                "addresses": [[vlan, mac, kind] for (vlan, mac), kind in sorted(guard.addresses.items())],
                "violations": guard.violations,
                "last": list(guard.last),
            }
            for name, guard in self._guards.items()
        }
