"""What goes wrong in the commands of a Linux node: words that are confused, rules too many. Data."""

from __future__ import annotations

from typing import Final

from pytest_netbench.dialects.mutations import Addition, Mutations, Rewrite

MUTATIONS: Final = Mutations(
    swaps=(
        ("accept", "drop"),
        ("tcp", "udp"),
        ("saddr", "daddr"),
        ("sport", "dport"),
        ("src", "dst"),
        ("iifname", "oifname"),
        ("input", "forward", "output"),
        ("prerouting", "postrouting"),
        ("snat", "masquerade"),
    ),
    rewrites=(
        Rewrite(operator="policy", pattern=r"policy drop", to="policy accept"),
        Rewrite(operator="option", pattern=r" (?:tcp|udp) dport \S+", to=""),
        Rewrite(operator="option", pattern=r" ip saddr \S+", to=""),
        Rewrite(operator="option", pattern=r" ip daddr \S+", to=""),
        Rewrite(operator="option", pattern=r" [io]ifname \S+", to=""),
        Rewrite(operator="option", pattern=r" ct state (?!established)\S+", to=""),
    ),
    additions=(
        Addition(operator="extra permit", pattern=r"^(nft add rule inet \S+ \S+) ", before=(r"\1 accept",)),
        Addition(operator="extra permit", pattern=r"^(nft add rule inet \S+ \S+) ", after=(r"\1 accept",)),
    ),
    superfluous=(("nft add table inet unused",),),
    quantities=(r"\bhtb\b|\btbf\b|\brate\b",),
)
