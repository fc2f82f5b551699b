"""The service ``switch``: VLANs between ports, spanning trees, SVIs and dot1Q subinterfaces over the switching program.

Configuration, by kernel interface names: ``ports`` (see ``SwitchPort``), ``inner`` (SVIs: the hidden end of a veth to
its VLAN; those in ``steady`` are always up), ``subinterfaces`` (the hidden end to ``parent`` and ``tag``), ``trees``
(VLAN to ``TreeSettings`` and ``mode``), ``vlans`` (those that exist), ``statics`` (port, VLAN, address), ``ageing``
(VLAN to seconds), ``address`` (of the bridge), ``recovery`` (cause to seconds), ``cdp`` (``device`` and ``every``, or
``None``).

State: ``waiting``, ``errors``, ``ports``, ``trees``, ``security`` and ``snooping``. Commands: ``addresses`` (JSON),
``clear addresses [PORT]``, ``clear security dynamic|sticky|all [PORT]``, ``clear bindings``, ``recover PORT``.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import socket
import struct
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.common.host import Shared
from pytest_netbench.platforms.cisco_ios.services.programs.switching.attachment import Attachment
from pytest_netbench.platforms.cisco_ios.services.programs.switching.cdp import Cdp
from pytest_netbench.platforms.cisco_ios.services.programs.switching.dataplane import (
    CONTROL,
    DHCP,
    STRANGER,
    Dataplane,
    Frame,
)
from pytest_netbench.platforms.cisco_ios.services.programs.switching.port_security import PortSecurity
from pytest_netbench.platforms.cisco_ios.services.programs.switching.snooping import Snooping
from pytest_netbench.platforms.cisco_ios.services.programs.switching.trees import Trees
from pytest_netbench.platforms.cisco_ios.services.programs.switching.trunking import Trunking

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1
_FIRST_PRIVATE_DOMAIN = 4096
_MOST_PORTS = 512
FORWARDING = 2


class Service:
    """The service ``switch``; see the module."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.config: dict[str, Any] = {}
        self.held: dict[str, Attachment] = {}
        self.plane: Dataplane | None = None
        self._trunking = Trunking(self)
        self._cdp = Cdp(self)
        self._trees = Trees(self)
        self._security = PortSecurity(self)
        self._snooping = Snooping(self)
        self._watched: dict[int, int] = {}
        self._fixed: dict[tuple[int, str], Attachment] = {}
        self._control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._raised: dict[str, bool] = {}
        self._due = False
        shared.links.listen(self._links_changed)

    # ---- configuration ----

    def configure(self, config: dict[str, Any]) -> None:
        """Apply a configuration."""
        if not config:
            self._close()
            return
        self.config = config
        if self.plane is None:
            self.plane = Dataplane(self.shared.loop, self._received)
        for name, attachment in self.held.items():
            if attachment.disabled and not self._port(name).get("up", False):
                self._recovered(attachment)
        self.refresh()
        self.plane.flush()

    def _close(self) -> None:
        for part in (self._trunking, self._cdp, self._trees, self._security, self._snooping):
            part.close()
        self.config = {}
        self._watched.clear()
        self._fixed.clear()
        if self.plane is not None:
            self.plane.close()
            self.plane = None
        self.held.clear()
        self._raised.clear()

    def _port(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.config.get("ports", {}).get(name, {})
        return found

    def _wanted(self) -> dict[str, dict[int, int]]:
        """Return the tags by domain of each interface."""
        existing = set(self.config.get("vlans", ()))
        wanted = {
            name: {int(vlan): tag for vlan, tag in self._tags(name, port).items() if int(vlan) in existing}
            for name, port in self.config.get("ports", {}).items()
        }
        for name, vlan in self.config.get("inner", {}).items():
            wanted[name] = {vlan: 0} if vlan in existing else {}
        for number, (name, sub) in enumerate(sorted(self.config.get("subinterfaces", {}).items())):
            domain = sub.get("domain", _FIRST_PRIVATE_DOMAIN + number)
            wanted[name] = {domain: 0}
            wanted.setdefault(sub["parent"], {})[domain] = sub["tag"]
        return wanted

    def _tags(self, name: str, port: dict[str, Any]) -> dict[str, int]:
        found: dict[str, int] = port["tagged" if self._trunking.is_trunk(name) else "vlans"]
        return found

    def _links_changed(self) -> None:
        if self.plane is not None:
            self.refresh()
            self.plane.flush()

    def refresh(self) -> None:
        """Apply the configuration, the link states and the negotiated modes. Idempotent."""
        wanted = self._wanted()
        for name in list(self.held):
            if name not in wanted:
                self._let_go(name)
        for name, tags in wanted.items():
            self._hold(name, tags)
        self._trunking.refresh()
        self._cdp.refresh()
        self._trees.refresh()
        self._security.refresh()
        self._snooping.refresh()
        self._watch()
        self._fix_addresses()
        self._raise_inner()

    def _fix_addresses(self) -> None:
        """Set the static addresses at their current ports."""
        wanted = {}
        for name, vlan, mac in self.config.get("statics", ()):
            attachment = self.held.get(name)
            if attachment is not None and vlan in attachment.tags:
                wanted[vlan, mac] = attachment
        for key in [key for key in self._fixed if key not in wanted]:
            del self._fixed[key]
            self.order("forget", *key)
        for key, attachment in wanted.items():
            if self._fixed.get(key) is not attachment:
                self._fixed[key] = attachment
                self.order("static", attachment.number, *key)

    def _watch(self) -> None:
        """Request copies of the frames that parts of this service inspect."""
        always = CONTROL if self._trunking.negotiates() or self._cdp.runs() else 0
        for vlan in self.config.get("vlans", ()):
            control = CONTROL if str(vlan) in self.config.get("trees", {}) else always
            flags = self._snooping.watches(vlan) | control
            if self._watched.get(vlan, 0) != flags:
                self._watched[vlan] = flags
                self.order("watch", vlan, flags)

    def order(self, *words: object) -> None:
        """Send an order to the switching program, if it runs."""
        if self.plane is not None:
            self.plane.order(*words)

    def is_port(self, attachment: Attachment) -> bool:
        """Whether an interface is a port, not the inner end of an SVI or a subinterface."""
        return attachment.name in self.config.get("ports", {})

    # ---- interfaces ----

    def _hold(self, name: str, tags: dict[int, int]) -> None:
        plane = self._running()
        link = self.shared.links.get(name)
        attachment = self.held.get(name)
        if attachment is not None and (link is None or link.index != attachment.index):
            disabled = attachment.disabled
            self._let_go(name)
            attachment = None
        else:
            disabled = ""
        if link is None:
            return
        if attachment is None:
            taken = {other.number for other in self.held.values()}
            number = next(number for number in range(_MOST_PORTS) if number not in taken)
            attachment = self.held[name] = Attachment(name, number, link.index, disabled=disabled)
            plane.order("open", number, name)
        protected = bool(self._port(name).get("protected"))
        if attachment.protected != protected:
            attachment.protected = protected
            plane.order("isolate", attachment.number, int(protected))
        attachment.up, attachment.mac, attachment.trunk = link.up, link.mac, self._trunking.is_trunk(name)
        self._join(attachment, tags)

    def _join(self, attachment: Attachment, tags: dict[int, int]) -> None:
        plane, number = self._running(), attachment.number
        for domain, tag in list(attachment.tags.items()):
            if tags.get(domain) != tag:
                self._trees.left(attachment, domain)
                plane.order("leave", number, domain)
                attachment.states.pop(domain, None)
        for domain, tag in tags.items():
            if attachment.tags.get(domain) != tag:
                plane.order("join", number, domain, tag)
        attachment.tags = dict(tags)
        native = self._port(attachment.name).get("native") if attachment.trunk else None
        if native in tags and native != attachment.native:
            plane.order("also", number, native, native)
        attachment.native = native
        for domain in tags:
            if not self._trees.governs(attachment, domain):
                self.set_state(attachment, domain, FORWARDING)

    def set_state(self, attachment: Attachment, domain: int, state: int) -> None:
        """Set a port to blocking, learning or forwarding in a domain."""
        if attachment.states.get(domain, 0) != state:
            attachment.states[domain] = state
            self._running().order("state", attachment.number, domain, state)
            self._later()

    def _let_go(self, name: str) -> None:
        attachment = self.held.pop(name)
        for domain in list(attachment.tags):
            self._trees.left(attachment, domain)
        self._running().order("close", attachment.number)
        self._raised.pop(name, None)

    def _running(self) -> Dataplane:
        if self.plane is None:
            raise ValueError("the switch is not configured")
        return self.plane

    # ---- what is up because something else is ----

    def _later(self) -> None:
        """Update inner links after the changes of this turn."""
        if not self._due:
            self._due = True
            self.shared.loop.after(0, self._raise_due)

    def _raise_due(self) -> None:
        self._due = False
        if self.plane is not None:
            self._raise_inner()

    def _raise_inner(self) -> None:
        for name, vlan in self.config.get("inner", {}).items():
            steady = name in self.config.get("steady", ())
            self._raise(name, steady or any(self._forwards(port, vlan) for port in self.config["ports"]))
        for name, sub in self.config.get("subinterfaces", {}).items():
            parent = self.held.get(sub["parent"])
            self._raise(name, parent is not None and parent.up)

    def _forwards(self, port: str, vlan: int) -> bool:
        attachment = self.held.get(port)
        return attachment is not None and attachment.up and attachment.states.get(vlan) == FORWARDING

    def _raise(self, name: str, up: bool) -> None:
        if name in self.held and self._raised.get(name) != up:
            self._raised[name] = up
            self._set_up(name, up)

    def _set_up(self, name: str, up: bool) -> None:
        with contextlib.suppress(OSError):  # the link is gone; its notification will follow
            request = struct.pack("16sH14x", name.encode(), 0)
            flags = struct.unpack("16sH14x", fcntl.ioctl(self._control, _SIOCGIFFLAGS, request))[1]
            flags = flags | _IFF_UP if up else flags & ~_IFF_UP
            fcntl.ioctl(self._control, _SIOCSIFFLAGS, struct.pack("16sH14x", name.encode(), flags))

    # ---- ports that are disabled for an error ----

    def disable(self, attachment: Attachment, cause: str) -> None:
        """Disable a port because of an error, until it recovers by command or by time."""
        if attachment.disabled:
            return
        attachment.disabled = cause
        self.shared.log(
            "PM",
            4,
            "ERR_DISABLE",
            f"{cause} error detected on {attachment.name}, putting {attachment.name} in err-disable state",
        )
        self._set_up(attachment.name, up=False)
        self._trees.refresh()
        seconds = self.config.get("recovery", {}).get(cause)
        if seconds:
            attachment.recovery = self.shared.loop.after(seconds, lambda: self._recover_by_time(attachment))

    def _recover_by_time(self, attachment: Attachment) -> None:
        words = f"Attempting to recover from {attachment.disabled} err-disable state on {attachment.name}"
        self.shared.log("PM", 4, "ERR_RECOVER", words)
        self._recover(attachment)

    def _recover(self, attachment: Attachment) -> None:
        self._recovered(attachment)
        if self._port(attachment.name).get("up", False):
            self._set_up(attachment.name, up=True)

    def _recovered(self, attachment: Attachment) -> None:
        attachment.disabled = ""
        if attachment.recovery is not None:
            attachment.recovery.cancel()
            attachment.recovery = None

    # ---- frames ----

    def _received(self, frame: Frame) -> None:
        attachment = next((one for one in self.held.values() if one.number == frame.port), None)
        if attachment is None:
            return
        if frame.why == CONTROL:
            self._control_frame(attachment, frame)
        elif frame.why == STRANGER:
            self._security.stranger(attachment, frame)
        elif frame.why == DHCP:
            self._snooping.dhcp(attachment, frame)
        else:
            self._snooping.arp(attachment, frame)

    def _control_frame(self, attachment: Attachment, frame: Frame) -> None:
        if self._trunking.received(attachment, frame) or self._cdp.received(attachment, frame):
            return
        if str(frame.domain) in self.config.get("trees", {}):
            self._trees.received(attachment, frame)
        elif self.plane is not None:
            self.plane.approve(frame)  # a VLAN without a spanning tree forwards BPDUs of others

    # ---- what is asked ----

    def state(self) -> dict[str, Any]:
        """See the module."""
        if self.plane is None:
            return {"waiting": [], "errors": [], "ports": {}, "trees": {}, "security": {}, "snooping": {}}
        ports = {
            name: {
                "up": one.up,
                "trunk": one.trunk,
                "disabled": one.disabled,
                "mac": packets.mac_text(one.mac),
                "states": {str(domain): state for domain, state in one.states.items()},
            }
            for name, one in self.held.items()
        }
        return {
            "waiting": self._trees.waiting(),
            "errors": self.plane.errors,
            "ports": ports,
            "trees": self._trees.state(),
            "security": self._security.state(),
            "snooping": self._snooping.state(),
        }

    def command(self, words: list[str]) -> str:
        """See the module."""
        plane = self._running()
        match words:
            case ["addresses"]:
                names = {one.number: name for name, one in self.held.items()}
                table = [
                    {
                        "vlan": one.domain,
                        "mac": one.mac,
                        "static": one.static,
                        "port": names.get(one.port, ""),
                        "age": one.age,
                    }
                    for one in plane.addresses()
                ]
                return json.dumps(table)
            case ["clear", "addresses", *rest]:
                number = self._attached(rest[0]).number if rest else -1
                plane.order("flush", number, 0)
                plane.flush()
                return ""
            case ["clear", "security", ("dynamic" | "sticky" | "all") as what, *rest]:
                self._security.clear(what, *rest)
                plane.flush()
                return ""
            case ["clear", "bindings"]:
                self._snooping.clear()
                return ""
            case ["recover", name]:
                self._recover(self._attached(name))
                return ""
        raise ValueError(f"not understood: {' '.join(words)}")

    def _attached(self, name: str) -> Attachment:
        if name not in self.held:
            raise ValueError(f"{name!r} is no port of the switch (known: {', '.join(sorted(self.held))})")
        return self.held[name]
