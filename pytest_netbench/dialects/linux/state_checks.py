"""What commands of a Linux host show of its states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_netbench.dialects.state_checks import StateCheck

_LINK: Final = "ip link show dev {interface}"
_ADDRESS: Final = "ip -4 address show dev {interface}"

STATE_CHECKS: Final[Mapping[str, StateCheck]] = {
    "no carrier": StateCheck(_LINK, r"NO-CARRIER"),
    "no interface": StateCheck(_LINK, r"does not exist"),
    "no address": StateCheck(_ADDRESS, r"\binet ", is_absent=True),
    "address below": StateCheck(_ADDRESS, r"\binet {start}\."),
    "address": StateCheck(_ADDRESS, r"\binet {address} "),
    "sends by itself": StateCheck("ip route get {address}", r"\bvia ", is_absent=True, is_shared=True),
    "sends to": StateCheck("ip route get {address}", r"\bvia {hop} "),
    "gateway": StateCheck("ip -4 route show default", r"\bvia {hop} "),
    "resolver": StateCheck("cat /etc/resolv.conf", r"^nameserver {address}$"),
    "DHCP range": StateCheck("cat /etc/dnsmasq-dhcp.conf", r"^dhcp-range={start},"),
    "short of processor time": StateCheck(
        "bash -c 'TIMEFORMAT=%P; time for ((n = 0; n < 150000; n++)); do :; done'", r"^[0-8]\.\d\d$"
    ),
    "small buffer": StateCheck("cat /proc/sys/net/ipv4/tcp_rmem", r"\s\d{{1,4}}$"),
    "half open": StateCheck("ss -Hnt state syn-recv", r"(?:^.*:{port}\s.*\n?){{3}}", is_shared=True),
    "connections": StateCheck("ss -Hnt state established", r"(?:^.*:{port} +(?:\[::ffff:)?{address}\]?:.*\n?){{30}}"),
    "tunnel peer": StateCheck("wg show wg0 peers", r"^{key}$"),
    "no tunnel peer": StateCheck("wg show wg0 peers", r"^{key}$", is_absent=True),
    "tunnel prefix": StateCheck("wg show wg0 allowed-ips", r"^{key}\t{prefix}$"),
    "discards": StateCheck("ip route get {address}", r"Invalid argument"),
    "permanent neighbor": StateCheck("ip neighbor show {address}", r"lladdr {mac} PERMANENT"),
    "neighbor unknown": StateCheck("ip neighbor show {address}", r"\b(?:FAILED|INCOMPLETE)\b", is_shared=True),
    "other hardware address": StateCheck(_LINK, r"link/ether (?!{mac} )"),
    "nothing listens": StateCheck("ss -Hlntu", r":{port} ", is_absent=True),
    "listens": StateCheck("ss -Hlntu", r":{port} "),
    "no pings": StateCheck("ping -n -q -i 0.1 -W 1 -c 5 {address}", r"\b0 received", is_shared=True),
    "some pings lost": StateCheck(
        "ping -n -q -i 0.05 -W 1 -c 30 {address}", r"\b(?:[1-9]|[12]\d) received", is_shared=True
    ),
    "large pings lost": StateCheck("ping -n -q -i 0.1 -W 1 -c 5 -s 1000 {address}", r"\b0 received", is_shared=True),
    "late pings": StateCheck("ping -n -q -i 0.1 -W 2 -c 5 {address}", r"= [\d.]+/\d\d\d+[\d.]*/", is_shared=True),
    "slow pings": StateCheck(
        "ping -n -q -i 0.1 -W 2 -c 5 -s 1000 {address}", r"= \d[\d.]*/\d\d[\d.]*/", is_shared=True
    ),
    "carrier was lost": StateCheck(
        "ip -s -s link show dev {interface}", r"heartbt transns\s+\d+ +\d+ +\d+ +\d+ +(?:[3-9]|\d\d)"
    ),
}
"""By the state."""
