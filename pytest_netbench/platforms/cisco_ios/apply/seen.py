"""Sets in which the kernel keeps when each interface received and sent its last packet."""

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


def begin(node: vrf.Network) -> None:
    """Forget what was seen, and note it from now on."""
    node.run(["nft", "-f", "-"], input=_RULES)
