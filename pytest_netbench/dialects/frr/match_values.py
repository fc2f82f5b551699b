"""Values that packets can match in FRR configurations: addresses of interfaces, prefixes of protocols and lists."""

from __future__ import annotations

from pytest_netbench.dialects.match_values import Collection, MatchValues, spans_in

_SILENT = ("description ", "!", "#", "hostname ", "no ")
_LOOPBACK = "lo"


def read(config: str) -> MatchValues:
    """What ``config`` names that packets can meet."""
    found = Collection()
    interface = ""
    for raw in config.splitlines():
        line = " ".join(raw.split())
        if not line or line.startswith(_SILENT):
            continue
        words = line.split()
        if words[0] == "interface" and len(words) > 1:
            interface = words[1]
        elif line.startswith(("ip address ", "ipv6 address ")):
            found.attach(interface, words[2], is_local=interface == _LOOPBACK)
        elif words[0] == "vrrp" and len(words) > 2 and words[2] in ("ip", "ipv6"):
            found.shared.update((span, None) for span in spans_in(words[3:4]))
        else:
            found.add_spans(spans_in(words))
    return found.done()
