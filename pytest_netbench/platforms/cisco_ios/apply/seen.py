"""Sets in which the kernel keeps the last packets that interfaces received and sent, and the last ARP of neighbors."""

from __future__ import annotations

from typing import Final

from pytest_netbench.platforms.cisco_ios.apply import vrf

_RULES: Final = """
table inet seen
delete table inet seen
table inet seen {
 set rx { type ifname; flags dynamic,timeout; timeout 30d; }
 set tx { type ifname; flags dynamic,timeout; timeout 30d; }
 chain rx { type filter hook prerouting priority -500; update @rx { iifname }; }
 chain tx { type filter hook postrouting priority 500; update @tx { oifname }; }
}
"""
_ARP: Final = """
table arp seen
delete table arp seen
table arp seen {
 set neighbors { type ipv4_addr . ifname; flags dynamic,timeout; timeout 30d; size 4096; }
 chain input { type filter hook input priority -500; update @neighbors { arp saddr ip . iifname }; }
}
"""


def begin(node: vrf.Network) -> None:
    """Forget what was seen, and note it from now on."""
    if node.run(["nft", "-f", "-"], input=_RULES + _ARP).returncode:
        node.run(["nft", "-f", "-"], input=_RULES)  # the kernel has no tables for ARP
