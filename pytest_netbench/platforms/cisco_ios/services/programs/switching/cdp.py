"""CDP of a switch: what its ports announce, and what it logs of the announcements of others."""

from __future__ import annotations

import struct
from functools import partial
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Timer
from pytest_netbench.platforms.cisco_ios.services.programs.switching.attachment import Attachment, Switch
from pytest_netbench.platforms.cisco_ios.services.programs.switching.dataplane import Frame
from pytest_netbench.platforms.cisco_ios.services.programs.switching.trunking import GROUP

_SNAP = bytes.fromhex("aaaa0300000c2000")
_HEAD = struct.Struct("!BBH")
_FIELD = struct.Struct("!HH")
_VERSION, _HOLD_S = 2, 180
_DEVICE, _PORT, _CAPABILITIES, _NATIVE = 0x01, 0x03, 0x04, 0x0A
_SWITCH = 0x28
"""A switch that knows of IGMP."""


class Cdp:
    """The announcements of all ports of a switch."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._next: dict[str, Timer] = {}

    def runs(self) -> bool:
        """Whether the switch announces itself."""
        return self._switch.config.get("cdp") is not None

    def refresh(self) -> None:
        """Send on the ports that are up and take part, and only there."""
        speaking = {name for name in self._switch.config.get("ports", {}) if self._speaks(name)}
        for name in self._next.keys() - speaking:
            self._next.pop(name).cancel()
        for name in speaking - self._next.keys():
            self._announce(name)

    def close(self) -> None:
        """Stop sending."""
        for timer in self._next.values():
            timer.cancel()
        self._next.clear()

    def _speaks(self, name: str) -> bool:
        attachment = self._switch.held.get(name)
        up = attachment is not None and attachment.up and not attachment.disabled
        return up and self.runs() and bool(self._port(name).get("cdp"))

    def _port(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self._switch.config["ports"].get(name, {})
        return found

    def _native(self, attachment: Attachment) -> int | None:
        """Return the VLAN of untagged frames of a port."""
        port = self._port(attachment.name)
        if attachment.trunk:
            return int(port["native"])
        return next((int(vlan) for vlan, tag in port["vlans"].items() if tag == 0), None)

    def _announce(self, name: str) -> None:
        attachment, plane, settings = self._switch.held[name], self._switch.plane, self._switch.config["cdp"]
        self._next[name] = self._switch.shared.loop.after(settings["every"], partial(self._announce, name))
        if plane is None:
            return
        values = [
            (_DEVICE, settings["device"].encode()),
            (_PORT, self._port(name)["cdp"].encode()),
            (_CAPABILITIES, struct.pack("!I", _SWITCH)),
        ]
        native = self._native(attachment)
        if native is not None:
            values.append((_NATIVE, struct.pack("!H", native)))
        plane.transmit_raw(attachment.number, 0, frame(attachment.mac, values))

    def received(self, attachment: Attachment, found: Frame) -> bool:
        """Handle a frame if it is one of CDP; return whether it is."""
        payload = found.data[14 : 14 + int.from_bytes(found.data[12:14], "big")]
        if found.data[:6] != GROUP or not payload.startswith(_SNAP):
            return False
        if self._speaks(attachment.name):
            self._compare(attachment, fields(payload[len(_SNAP) + _HEAD.size :]))
        return True

    def _compare(self, attachment: Attachment, said: dict[int, bytes]) -> None:
        own, theirs = self._native(attachment), int.from_bytes(said.get(_NATIVE, b""), "big")
        if own is None or not theirs or own == theirs:
            return
        device, port = (said.get(kind, b"").decode(errors="replace") for kind in (_DEVICE, _PORT))
        words = f"Native VLAN mismatch discovered on {attachment.name} ({own}), with {device} {port} ({theirs})."
        self._switch.shared.log("CDP", 4, "NATIVE_VLAN_MISMATCH", words)


def frame(source: bytes, values: list[tuple[int, bytes]]) -> bytes:
    """Return a frame with the fields ``values``."""
    body = b"".join(_FIELD.pack(kind, _FIELD.size + len(value)) + value for kind, value in values)
    checksum = packets.checksum(_HEAD.pack(_VERSION, _HOLD_S, 0) + body)
    payload = _SNAP + _HEAD.pack(_VERSION, _HOLD_S, checksum) + body
    return (GROUP + source + struct.pack("!H", len(payload)) + payload).ljust(60, b"\0")


def fields(data: bytes) -> dict[int, bytes]:
    """Return the fields of an announcement by their type."""
    found: dict[int, bytes] = {}
    at = 0
    while at + _FIELD.size <= len(data):
        kind, size = _FIELD.unpack_from(data, at)
        found[kind] = data[at + _FIELD.size : at + size]
        at += max(size, _FIELD.size)
    return found
