"""What commands of a Linux host show of its states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_netbench.dialects.state_checks import Sign

_LINK: Final = "ip link show dev {interface}"
_ADDRESS: Final = "ip -4 address show dev {interface}"

SIGNS: Final[Mapping[str, Sign]] = {
    "no carrier": Sign(_LINK, r"NO-CARRIER"),
    "no interface": Sign(_LINK, r"does not exist"),
    "no address": Sign(_ADDRESS, r"\binet ", is_absent=True),
    "address below": Sign(_ADDRESS, r"\binet {start}\."),
    "address": Sign(_ADDRESS, r"\binet {address} "),
    "sends by itself": Sign("ip route get {address}", r"\bvia ", is_absent=True, is_shared=True),
    "sends to": Sign("ip route get {address}", r"\bvia {hop} "),
    "gateway": Sign("ip -4 route show default", r"\bvia {hop} "),
    "resolver": Sign("cat /etc/resolv.conf", r"^nameserver {address}$"),
    "DHCP range": Sign("cat /etc/dnsmasq-dhcp.conf", r"^dhcp-range={start},"),
    "short of processor time": Sign(
        "bash -c 'TIMEFORMAT=%P; time for ((n = 0; n < 150000; n++)); do :; done'", r"^[0-8]\.\d\d$"
    ),
    "small buffer": Sign("cat /proc/sys/net/ipv4/tcp_rmem", r"\s\d{{1,4}}$"),
    "half open": Sign("ss -Hnt state syn-recv", r"(?:^.*:{port}\s.*\n?){{3}}", is_shared=True),
    "connections": Sign("ss -Hnt state established", r"(?:^.*:{port} +(?:\[::ffff:)?{address}\]?:.*\n?){{30}}"),
    "tunnel peer": Sign("wg show wg0 peers", r"^{key}$"),
    "no tunnel peer": Sign("wg show wg0 peers", r"^{key}$", is_absent=True),
    "tunnel prefix": Sign("wg show wg0 allowed-ips", r"^{key}\t{prefix}$"),
    "discards": Sign("ip route get {address}", r"Invalid argument"),
    "permanent neighbor": Sign("ip neighbor show {address}", r"lladdr {mac} PERMANENT"),
    "neighbor unknown": Sign("ip neighbor show {address}", r"\b(?:FAILED|INCOMPLETE)\b", is_shared=True),
    "other hardware address": Sign(_LINK, r"link/ether (?!{mac} )"),
    "nothing listens": Sign("ss -Hlntu", r":{port} ", is_absent=True),
    "listens": Sign("ss -Hlntu", r":{port} "),
    "no pings": Sign("ping -n -q -i 0.1 -W 1 -c 5 {address}", r"\b0 received", is_shared=True),
    "some pings lost": Sign("ping -n -q -i 0.05 -W 1 -c 30 {address}", r"\b(?:[1-9]|[12]\d) received", is_shared=True),
    "large pings lost": Sign("ping -n -q -i 0.1 -W 1 -c 5 -s 1000 {address}", r"\b0 received", is_shared=True),
    "late pings": Sign("ping -n -q -i 0.1 -W 2 -c 5 {address}", r"= [\d.]+/\d\d\d+[\d.]*/", is_shared=True),
    "slow pings": Sign("ping -n -q -i 0.1 -W 2 -c 5 -s 1000 {address}", r"= \d[\d.]*/\d\d[\d.]*/", is_shared=True),
    "carrier was lost": Sign(
        "ip -s -s link show dev {interface}", r"heartbt transns\s+\d+ +\d+ +\d+ +\d+ +(?:[3-9]|\d\d)"
    ),
}
"""By the state."""
