"""Hardware addresses of IPv4 neighbors that a device knows, with ages in lab time. One is forgotten after four hours.

The kernel asks again for an address that is used, and forgets none for its age. So ages count from the last ARP packet
of a neighbor, which the kernel notes as it does for ``traffic``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_netbench.platforms.cisco_ios.apply import vrf as in_vrf
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.shows import traffic

_LIFE_S: Final = 4 * 3600.0
"""IOS's ``arp timeout``."""
_ELEMENT = re.compile(r'([\d.]+) \. "?([\w.-]+)"? (?:timeout \w+ )?expires (\w+)')
_LASTING: Final = frozenset({"PERMANENT", "NOARP"})


def neighbors(at: Exec) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Yield entries as ``ip -j neigh`` has them, each with its age in lab minutes."""
    for vrf in in_vrf.names(at.node):
        network = in_vrf.inside(at.node, vrf)
        entries = json.loads(network.run(["ip", "-j", "-4", "neigh", "show"]).stdout or "[]")
        listing = network.run(["nft", "list", "table", "arp", "seen"]).stdout if entries else ""
        heard = {(address, name): traffic.ago_s(at, left) for address, name, left in _ELEMENT.findall(listing)}
        for entry in entries:
            if "lladdr" not in entry:
                continue
            age_s = heard.get((entry["dst"], entry["dev"]), 0.0)
            if age_s < _LIFE_S or not _LASTING.isdisjoint(entry.get("state", ())):
                yield entry, int(age_s / 60)
            else:
                network.run(["ip", "-4", "neigh", "del", entry["dst"], "dev", entry["dev"]])
