"""Which faults are drawn by default, in their order: the seeds of draws stay valid.

Not what is installed: a fault of another package must not change the draws, and is drawn only where it is named.
"""

from __future__ import annotations

from typing import Final

REPAIRED: Final = (
    "access-list-order",
    "address-duplicate",
    "bgp-as-number-wrong",
    "bgp-filter-wrong",
    "bgp-network-missing",
    "host-address-duplicate",
    "host-gateway-wrong",
    "host-mask-wrong",
    "mask-wrong",
    "nat-side-wrong",
    "ospf-area-wrong",
    "ospf-authentication-wrong",
    "ospf-interface-passive",
    "ospf-mtu-wrong",
    "ospf-network-missing",
    "ospf-network-type-wrong",
    "ospf-timers-wrong",
    "port-shutdown",
    "static-next-hop-wrong",
    "vlan-wrong",
)
"""What ``repair-network`` draws."""
_IN_CONFIGS: Final = (
    "host-address-missing",
    "host-address-wrong",
    "host-route-blackhole",
    "host-neighbor-wrong",
    "route-blackhole",
    "bgp-prefix-hijacked",
    "bgp-blackhole-leaked",
    "bgp-prefix-limit",
    "icmp-denied",
    "ospf-denied",
    "bgp-denied",
)
DIAGNOSED: Final = (
    *REPAIRED,
    "link-down",
    "link-flapping",
    "link-lossy",
    "link-slow",
    *_IN_CONFIGS,
    "link-corrupting",
    "link-flows-lost",
    "link-mtu-low",
    "node-crashed",
    "routing-daemon-stopped",
    "host-mac-duplicate",
    "host-address-taken",
    "host-arp-denied",
    "interface-detached",
    "ospf-cost-wrong",
    "nat-mapping-missing",
    "icmp-frag-needed-denied",
    "link-lossy-one-way",
    "link-corrupting-one-way",
    "bgp-blackhole-tagged",
    "nat-port-pool-exhausted",
    "ecmp-member-wrong",
    "fragments-denied",
)
"""What ``diagnose`` draws: what drawn repairs have, and more."""
TROUBLESHOT: Final = (
    *REPAIRED,
    *_IN_CONFIGS,
)
"""What ``troubleshoot`` draws: what ``diagnose`` has, without cables, which no command repairs."""
HANDED_OVER: Final = (
    "link-down",
    "link-flapping",
    "link-lossy",
    "link-slow",
    "link-corrupting",
    "link-flows-lost",
    "link-mtu-low",
    "link-lossy-one-way",
    "link-delayed",
    "link-policed",
    "link-multicast-lost",
    "link-bgp-lost",
    "node-crashed",
    "routing-daemon-stopped",
    "interface-detached",
)
"""What ``troubleshoot`` draws, too, if faults can be handed over that no command repairs."""
SERVED: Final = (
    "dns-record-wrong",
    "dns-server-down",
    "dns-server-slow",
    "dns-port-blocked",
    "host-resolver-wrong",
    "web-server-down",
    "web-server-slow",
    "http-denied",
    "tcp-syn-flood",
    "host-receive-window-small",
    "web-flood",
    "host-cpu-limited",
)
"""Faults of servers of names and pages, and of those who use them."""
OF_DHCP: Final = (
    "dhcp-server-down",
    "dhcp-subnet-missing",
    "dhcp-gateway-spoofed",
    "dhcp-subnet-spoofed",
    "dhcp-dns-spoofed",
)
"""Faults of DHCP, the last one only with DNS."""
OF_LB: Final = (
    "lb-server-down",
    "lb-server-slow",
    "lb-backend-wrong",
    "lb-connections-held",
)
"""Faults of load balancers."""
OF_VPN: Final = (
    "vpn-peer-key-wrong",
    "vpn-allowed-ips-wrong",
    "vpn-peer-missing",
)
"""Faults of tunnels."""
OF_QOS: Final = ("dscp-remarked",)
"""Faults of marking."""
OF_RPKI: Final = ("bgp-rpki-invalid-accepted",)
"""Faults of the validation of routes."""
WITH_SERVICES: Final = (*SERVED, *OF_DHCP, *OF_LB, *OF_VPN, *OF_QOS, *OF_RPKI)
"""What is drawn too if all services are chosen that a fault needs."""
OF_BURSTS: Final = ("link-queue-short",)
"""What is drawn too if the traffic comes in bursts: no other traffic shows it."""
OF_RULES: Final = (
    "flow-rule-loop",
    "flow-rule-shadowing",
)
OF_SWITCHES: Final = (
    "controller-crashed",
    "southbound-port-blocked",
    "southbound-port-wrong",
    *OF_RULES,
)
"""What is drawn too if networks of OpenFlow switches are asked for."""
OF_P4: Final = (
    "p4-entry-missing",
    "p4-entry-wrong",
    "p4-write-partial",
    "p4-default-drops",
    "p4-table-full",
    "p4-member-missing",
    "p4-member-wrong",
    "p4-group-short",
    "p4-group-large",
    "p4-switch-down",
)
"""What is drawn too if networks of P4 switches are asked for."""
P4_HANDED_OVER: Final = ("p4-switch-down",)
"""Those of them that no command repairs and flows show, drawn where faults can be handed over."""
