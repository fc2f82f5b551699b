"""Ends of WireGuard tunnels on Linux hosts: the files, and the commands that configure the interface.

The program is wireguard-go, which needs no module of the kernel. The config has the format of ``wg setconf``. The
private key is in a file of its own: the config is shown to whoever may look at the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_netbench.model.hosting import VPN_INTERFACE, VPN_PORT, VpnEnd

CONF: Final = f"/etc/wireguard/{VPN_INTERFACE}.conf"
KEY: Final = f"/etc/wireguard/{VPN_INTERFACE}.key"
KEY_MODE: Final = 0
"""Of the file of the key. A command of an agent owns the files of its node and could read more than nothing."""
PROGRAM: Final = "wireguard-go"
PATH: Final = "/usr/bin/wireguard-go"
ARGUMENTS: Final = ("--foreground", VPN_INTERFACE)
_TRIES: Final = 250
_LISTENS: Final = rf"grep -q ' 00010000 .*/wireguard/{VPN_INTERFACE}\.sock$' /proc/net/unix"
AWAIT: Final = (
    f"n=0; until {_LISTENS}; do n=$((n + 1)); [ $n -lt {_TRIES} ] ||"
    f" {{ echo {PROGRAM} does not listen >&2; exit 1; }}; sleep 0.02; done"
)
"""A shell command that returns once the program answers: for at most five seconds.

It does not ask the program: ``wg`` removes the socket of one that does not listen yet, and nobody reaches it any more.
"""
CONFIGURE: Final = (
    f"wg setconf {VPN_INTERFACE} {CONF} && wg set {VPN_INTERFACE} private-key {KEY}"  # the first one clears the key
)
"""A shell command that gives the interface what the files say; peers forget their sessions."""


def config_text(end: VpnEnd) -> str:
    """The text of ``CONF``."""
    return "\n".join(["[Interface]", f"ListenPort = {VPN_PORT}", *_peers(end), ""])


def key_text(end: VpnEnd) -> str:
    """The text of ``KEY``."""
    return f"{end.private_key}\n"


def bring_up(end: VpnEnd) -> str:
    """Return a shell command that configures the interface once its program runs."""
    link = f"ip address replace {end.address} dev {VPN_INTERFACE} && ip link set {VPN_INTERFACE} up"
    return f"{AWAIT}; {CONFIGURE} && {link}"


def _peers(end: VpnEnd) -> Iterator[str]:
    for name, peer in end.peers.items():
        yield ""
        yield f"# {name}"
        yield "[Peer]"
        yield f"PublicKey = {peer.public_key}"
        yield f"AllowedIPs = {', '.join(peer.allowed_ips)}"
        yield f"Endpoint = {peer.endpoint}"
