"""The service ``dhcp_client``: interfaces with an address from DHCP (RFC 2131 §4.4).

Configuration: ``{"interfaces": [{"interface": "gi0-1", "hostname": "R1", "client_id": hex, "distance": 254}, …],
"daemon": "staticd"}``. The default route is a static route of this FRR daemon with this distance, or a kernel route
if there is no daemon.

State: ``{"interfaces": {interface: {"state", "attempts", "address", "prefix", "router", "server", "transaction",
"lease_s", "left_s", "options"}}, "waiting"}``.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common import frr, packets
from pytest_netbench.platforms.cisco_ios.services.programs.common.batch import run
from pytest_netbench.platforms.cisco_ios.services.programs.common.host import Shared
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Timer
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp import packet as dhcp_packet
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp.packet import (
    BROADCAST_FLAG,
    CLIENT_PORT,
    NOWHERE,
    SERVER_PORT,
    DhcpMessage,
    Kind,
    Option,
)

_EVERYBODY = "255.255.255.255"
_FIRST_RETRY_S, _LONGEST_RETRY_S = 4.0, 64.0
# after so many unanswered attempts, readiness no longer waits for a server
_WORTH_WAITING = 2
_WANTED = bytes((Option.MASK, Option.ROUTER, Option.DNS, Option.DOMAIN, Option.TFTP_ADDRESSES))


class State(StrEnum):
    """The state of a client."""

    INIT = "Init"
    SELECTING = "Selecting"
    REQUESTING = "Requesting"
    BOUND = "Bound"
    RENEWING = "Renewing"
    REBINDING = "Rebinding"


class Client:
    """A DHCP client on one interface."""

    def __init__(self, shared: Shared, config: Mapping[str, Any], *, daemon: str) -> None:
        self._shared, self._loop, self._daemon = shared, shared.loop, daemon
        self.config = config
        self.interface: str = config["interface"]
        self.state = State.INIT
        self._xid = 0
        self._retry_s = _FIRST_RETRY_S
        self._attempts = 0
        self._released = False
        self._timer = Timer(0, 0, None)
        self._lease: DhcpMessage | None = None
        self._bound_at = 0.0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, self.interface.encode())
        self._socket.bind(("", CLIENT_PORT))
        self._frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self._loop.watch(self._socket.fileno(), self._readable)

    # -- state machine -----------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """React to the current state of the link."""
        link = self._shared.links.get(self.interface)
        up = link is not None and link.up
        if up and self.state is State.INIT and not self._released:
            self._discover()
        elif not up and self.state is not State.INIT:
            self._lose()
            self.state = State.INIT
            self._timer.cancel()

    def _discover(self) -> None:
        self.state = State.SELECTING
        self._xid = int.from_bytes(os.urandom(4), "big")
        self._attempts += 1
        self._send(Kind.DISCOVER)
        self._retry(self._discover)

    def _retry(self, again: Any) -> None:
        self._timer.cancel()
        self._timer = self._loop.after(self._retry_s, again)
        self._retry_s = min(2 * self._retry_s, _LONGEST_RETRY_S)

    def _receive(self, message: DhcpMessage) -> None:
        if self.state is State.SELECTING and message.kind is Kind.OFFER:
            self.state = State.REQUESTING
            wanted = {Option.REQUESTED_ADDRESS: message.yiaddr, Option.SERVER_ID: message.server}
            self._send(Kind.REQUEST, {code: dhcp_packet.addresses(text) for code, text in wanted.items()})
            self._retry(self._discover)
        elif self.state in {State.REQUESTING, State.RENEWING, State.REBINDING}:
            if message.kind is Kind.ACK:
                self._bind(message)
            elif message.kind is Kind.NAK:
                self._lose()
                self._discover()

    def _bind(self, message: DhcpMessage) -> None:
        if self._lease is None or self._lease.yiaddr != message.yiaddr:
            self._lose()
            self._lease = message
            run("ip", f"addr add {message.yiaddr}/{self._prefix()} brd + dev {self.interface}\n")
        self._lease, self.state, self._bound_at = message, State.BOUND, self._loop.now()
        self._route(add=True)
        self._retry_s, self._attempts = _FIRST_RETRY_S, 0
        self._attempts = 0
        self._timer.cancel()
        lease_s = self._lease_s()
        if lease_s is not None:
            self._timer = self._loop.after(lease_s / 2, self._renew)

    def _renew(self) -> None:
        lease_s, passed = self._lease_s() or 0.0, self._loop.now() - self._bound_at
        if self._lease is None or passed >= lease_s:
            self._lose()
            self._discover()
            return
        self.state = State.RENEWING if passed < lease_s * 7 / 8 else State.REBINDING
        self._send(Kind.REQUEST)
        self._timer = self._loop.after(max(1.0, (lease_s - passed) / 2), self._renew)

    def ask_again(self) -> None:
        """Renew the lease, or request one."""
        self._released = False
        if self._lease is None:
            self._discover()
        else:
            self._timer.cancel()
            self._renew()

    def give_back(self) -> None:
        """Release the address and do not request another."""
        self._released = True
        if self._lease is not None:
            self._send(Kind.RELEASE, {Option.SERVER_ID: dhcp_packet.addresses(self._lease.server)})
            self._lose()
        self._timer.cancel()
        self.state = State.INIT

    def release(self) -> None:
        """Release the address and stop."""
        self.give_back()
        self._loop.unwatch(self._socket.fileno())
        self._socket.close()
        self._frames.close()

    def _lose(self) -> None:
        if self._lease is not None:
            self._route(add=False)
            run("ip", f"addr del {self._lease.yiaddr}/{self._prefix()} dev {self.interface}\n", may_fail=True)
            self._lease = None

    # -- the lease ---------------------------------------------------------------------------------------------------

    def _prefix(self) -> int:
        mask = self._lease.options.get(Option.MASK, b"") if self._lease else b""
        return int.from_bytes(mask, "big").bit_count() if len(mask) == 4 else 24

    def _lease_s(self) -> float | None:
        data = self._lease.options.get(Option.LEASE_TIME, b"") if self._lease else b""
        return None if data == b"\xff" * 4 or len(data) != 4 else float(int.from_bytes(data, "big"))

    def _router(self) -> str:
        data = self._lease.options.get(Option.ROUTER, b"") if self._lease else b""
        return socket.inet_ntoa(data[:4]) if len(data) >= 4 else ""

    def _route(self, *, add: bool) -> None:
        router = self._router()
        if not router:
            return
        if self._daemon:
            line = f"ip route 0.0.0.0/0 {router} {self.config.get('distance', 254)}"
            frr.configure([(self._daemon, line if add else f"no {line}")])
        else:
            verb = "replace" if add else "del"
            run("ip", f"route {verb} default via {router} dev {self.interface}\n", may_fail=not add)

    # -- packets -----------------------------------------------------------------------------------------------------

    def _send(self, kind: Kind, options: Mapping[int, bytes] | None = None) -> None:
        link = self._shared.links.get(self.interface)
        if link is None:
            return
        more: dict[int, bytes] = {
            Option.CLIENT_ID: bytes.fromhex(self.config.get("client_id", "")) or b"\x01" + link.mac
        }
        if self.config.get("hostname"):
            more[Option.HOSTNAME] = self.config["hostname"].encode()
        if kind in {Kind.DISCOVER, Kind.REQUEST}:
            more[Option.PARAMETERS] = _WANTED
        ours = self._lease.yiaddr if self._lease is not None else NOWHERE
        # an answer cannot be sent to an address that the kernel does not have yet: hence broadcast
        message = DhcpMessage(
            op=dhcp_packet.REQUEST,
            xid=self._xid,
            chaddr=link.mac,
            kind=kind,
            ciaddr=ours,
            flags=BROADCAST_FLAG if ours == NOWHERE else 0,
            options={**more, **(options or {})},
        )
        if self._lease is not None and self.state is not State.REBINDING:
            with contextlib.suppress(OSError):
                self._socket.sendto(message.pack(), (self._lease.server, SERVER_PORT))
            return
        datagram = packets.udp(ours, CLIENT_PORT, _EVERYBODY, SERVER_PORT, message.pack())
        packet = packets.ipv4(ours, _EVERYBODY, socket.IPPROTO_UDP, datagram, ttl=255)
        with contextlib.suppress(OSError):
            frame = packets.ethernet(packets.BROADCAST, link.mac, packets.ETH_IP, packet)
            self._frames.sendto(frame, (self.interface, 0))

    def _readable(self) -> None:
        try:
            message = DhcpMessage.parse(self._socket.recv(4096))
        except OSError:
            return
        link = self._shared.links.get(self.interface)
        ours = link is not None and message is not None and message.chaddr == link.mac
        if message is not None and ours and message.op == dhcp_packet.REPLY and message.xid == self._xid:
            self._receive(message)

    def report(self) -> dict[str, Any]:
        """Return the state for ``show dhcp lease``."""
        lease, lease_s = self._lease, self._lease_s()
        return {
            "state": str(self.state),
            "attempts": self._attempts,
            "address": lease.yiaddr if lease else "",
            "prefix": self._prefix() if lease else 0,
            "router": self._router(),
            "server": lease.server if lease else "",
            "transaction": self._xid,
            "lease_s": lease_s,
            "left_s": None if lease_s is None else max(0.0, self._bound_at + lease_s - self._loop.now()),
            "options": {str(code): value.hex() for code, value in lease.options.items()} if lease else {},
        }


class Service:
    """All DHCP clients of a node."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._clients: dict[str, Client] = {}
        shared.links.listen(self._refresh)

    def configure(self, config: dict[str, Any]) -> None:
        wanted = {entry["interface"]: entry for entry in config.get("interfaces", ())}
        for name, client in list(self._clients.items()):
            if client.config != wanted.get(name):
                client.release()
                del self._clients[name]
        for name, entry in wanted.items():
            if name not in self._clients:
                self._clients[name] = Client(self._shared, entry, daemon=config.get("daemon", ""))
        self._refresh()

    def _refresh(self) -> None:
        for client in list(self._clients.values()):
            client.refresh()

    def state(self) -> dict[str, Any]:
        reports = {name: client.report() for name, client in self._clients.items()}
        waiting = [
            f"{name} has no address by DHCP yet"
            for name, report in reports.items()
            if report["state"] in {"Selecting", "Requesting"} and report["attempts"] <= _WORTH_WAITING
        ]
        return {"interfaces": reports, "waiting": waiting}

    def command(self, words: list[str]) -> str:
        """Run ``release INTERFACE`` or ``renew INTERFACE``."""
        if len(words) != 2 or words[0] not in {"release", "renew"} or words[1] not in self._clients:
            raise ValueError(f"the service dhcp_client knows no command {' '.join(words)!r}")
        client = self._clients[words[1]]
        if words[0] == "release":
            client.give_back()
        else:
            client.ask_again()
        return ""
