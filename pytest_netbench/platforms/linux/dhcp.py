"""DHCP on Linux hosts: the config of a server, and the client with its script.

The server is dnsmasq, the client ``udhcpc`` of BusyBox. The server keeps no file of leases: each client has its own
address, and the times in such a file would tell when clients have asked.
"""

from __future__ import annotations

import json
from ipaddress import IPv4Network
from typing import Final

from pytest_netbench.model.hosting import DhcpServer
from pytest_netbench.platforms.access import Exec

DHCP_CONF: Final = "/etc/dnsmasq-dhcp.conf"
SCRIPT: Final = "/etc/udhcpc/default.script"
RUN: Final = "/run/udhcpc"
LEASED_RESOLV_CONF: Final = f"{RUN}/resolv.conf"
"""Where its script writes the resolver. ``/etc/resolv.conf`` is a link to it: what runs on cannot write in ``/etc``."""
CLIENT: Final = "udhcpc"
BUSYBOX: Final = "/usr/bin/busybox"
LEASE_H: Final = 12
"""Lab hours of a lease. A client renews it after half of them."""
SCRIPT_TEXT: Final = """\
#!/bin/sh
PATH=/usr/sbin:/usr/bin:/sbin:/bin
case $1 in
deconfig)
    ip -4 address flush dev "$interface"
    ;;
bound | renew)
    ip address replace "$ip/$mask" dev "$interface"
    [ -z "$router" ] || ip route replace default via "${router%% *}"
    [ -z "$dns" ] || printf 'search %s\\nnameserver %s\\n' "$domain" "${dns%% *}" > /run/udhcpc/resolv.conf
    ;;
esac
"""


def server_config(server: DhcpServer) -> str:
    """The text of ``DHCP_CONF``. A server without a resolver does not name itself as one."""
    prefix = IPv4Network(server.prefix)
    lines = [
        "port=0",
        "pid-file",
        "leasefile-ro",
        "dhcp-authoritative",
        f"dhcp-range={prefix.network_address},static,{prefix.netmask},{LEASE_H}h",
        f"dhcp-option=option:router,{server.gateway}",
        f"dhcp-option=option:dns-server{f',{server.resolver}' if server.resolver else ''}",
        *([f"dhcp-option=option:domain-name,{server.domain}"] if server.domain else []),
        *(f"dhcp-host={hardware_address},{address}" for hardware_address, address in server.leases.items()),
    ]
    return "".join(f"{line}\n" for line in lines)


def client_argv(interface: str) -> tuple[str, ...]:
    """The client in the foreground. It asks three times within three seconds, and again after two, for ever."""
    return (BUSYBOX, CLIENT, "-f", "-i", interface, "-s", SCRIPT, "-t", "3", "-T", "1", "-A", "2")


def has_address(node: Exec, interface: str) -> bool:
    """Whether an interface has an IPv4 address."""
    done = node.run(["ip", "-j", "-4", "address", "show", "dev", interface])
    return any(one.get("addr_info") for one in json.loads(done.stdout or "[]"))
