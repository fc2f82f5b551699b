"""Trunk modes of ports: by configuration, or by negotiation with DTP."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import partial

from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Timer
from pytest_netbench.platforms.cisco_ios.services.programs.switching.attachment import Attachment, Switch
from pytest_netbench.platforms.cisco_ios.services.programs.switching.dataplane import Frame

GROUP = bytes.fromhex("01000ccccccc")
_SNAP = bytes.fromhex("aaaa0300000c2004")
_DOMAIN, _STATUS, _TYPE, _NEIGHBOR = 1, 2, 3, 4
_OPERATIONAL, _DOT1Q = 0x80, 0xA5
_ADMINISTRATIVE = {"trunk": 1, "access": 2, "desirable": 3, "auto": 4}
_NAMES = {number: name for name, number in _ADMINISTRATIVE.items()}
_AGREES = {"auto": {"trunk", "desirable"}, "desirable": {"trunk", "desirable", "auto"}}
_EVERY_S = 30.0
_VALID_S = 300.0


@dataclass(eq=False)
class _Talk:
    heard: str = ""
    said: str = ""
    expiry: Timer | None = None
    next: Timer | None = None

    def stop(self) -> None:
        for timer in (self.expiry, self.next):
            if timer is not None:
                timer.cancel()
        self.heard, self.expiry, self.next = "", None, None


class Trunking:
    """The trunk modes of all ports of a switch."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._talks: dict[str, _Talk] = {}

    def is_trunk(self, name: str) -> bool:
        """Whether a port is a trunk now."""
        mode = self._mode(name)
        talk = self._talks.get(name)
        return mode == "trunk" or (talk is not None and talk.heard in _AGREES.get(mode, ()))

    def _mode(self, name: str) -> str:
        return str(self._switch.config.get("ports", {}).get(name, {}).get("mode", "access"))

    def negotiates(self) -> bool:
        """Whether any port negotiates with its neighbor."""
        return any(port.get("negotiates") for port in self._switch.config.get("ports", {}).values())

    def refresh(self) -> None:
        """Send DTP on ports that are up and negotiate, and only there."""
        ports = self._switch.config.get("ports", {})
        for name in [name for name in self._talks if not (name in ports and ports[name].get("negotiates"))]:
            self._speak(name)  # a last message, so that the neighbor need not wait for its timeout
            self._talks.pop(name).stop()
        for name, port in ports.items():
            attachment = self._switch.held.get(name)
            if not port.get("negotiates"):
                continue
            talk = self._talks.setdefault(name, _Talk())
            if attachment is None or not attachment.up:
                talk.stop()
            elif talk.next is None or talk.said != self._mode(name):
                self._speak(name)

    def close(self) -> None:
        """Stop sending DTP."""
        for talk in self._talks.values():
            talk.stop()
        self._talks.clear()

    def _speak(self, name: str) -> None:
        talk, attachment = self._talks.get(name), self._switch.held.get(name)
        if talk is None or attachment is None or self._switch.plane is None:
            return
        if talk.next is not None:
            talk.next.cancel()
        talk.said = self._mode(name)
        talk.next = self._switch.shared.loop.after(_EVERY_S, partial(self._speak, name))
        self._switch.plane.transmit_raw(attachment.number, 0, self._frame(name, attachment.mac))

    def _frame(self, name: str, mac: bytes) -> bytes:
        status = _ADMINISTRATIVE[self._mode(name)] | (_OPERATIONAL if self.is_trunk(name) else 0)
        values = ((_DOMAIN, b"\0"), (_STATUS, bytes((status,))), (_TYPE, bytes((_DOT1Q,))), (_NEIGHBOR, mac))
        body = b"\1" + b"".join(struct.pack("!HH", kind, 4 + len(value)) + value for kind, value in values)
        payload = _SNAP + body
        return (GROUP + mac + struct.pack("!H", len(payload)) + payload).ljust(60, b"\0")

    def received(self, attachment: Attachment, frame: Frame) -> bool:
        """Handle a frame if it is a DTP frame; return whether it is."""
        payload = frame.data[14:]
        if frame.data[:6] != GROUP or not payload.startswith(_SNAP):
            return False
        talk, heard = self._talks.get(attachment.name), _status(payload[len(_SNAP) + 1 :])
        if talk is not None and heard:
            if talk.expiry is not None:
                talk.expiry.cancel()
            talk.expiry = self._switch.shared.loop.after(_VALID_S, partial(self._silent, attachment.name))
            if talk.heard != heard:
                talk.heard = heard
                self._switch.refresh()
                self._speak(attachment.name)
        return True

    def _silent(self, name: str) -> None:
        talk = self._talks.get(name)
        if talk is not None:
            talk.heard, talk.expiry = "", None
            self._switch.refresh()


def _status(data: bytes) -> str:
    """Return the mode that a neighbor announces, "" if it announces none."""
    at = 0
    while at + 4 < len(data):
        kind, size = struct.unpack_from("!HH", data, at)
        if kind == _STATUS:
            return _NAMES.get(data[at + 4] & 0x07, "")
        at += max(size, 4)
    return ""
