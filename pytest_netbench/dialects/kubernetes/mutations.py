"""What goes wrong in NetworkPolicies that are applied by a shell: a leaf rule is lost, or is another one. Data."""

from __future__ import annotations

from typing import Final

from pytest_netbench.dialects.mutations import Mutations, Rewrite

_BOTH: Final = r"(?m)^( *)- (namespaceSelector: .*)\n\1  podSelector"

MUTATIONS: Final = Mutations(
    swaps=(("TCP", "UDP"),),
    rewrites=(
        Rewrite(operator="policy type", pattern=r"policyTypes: \[Ingress, Egress\]", to="policyTypes: [Ingress]"),
        Rewrite(operator="policy type", pattern=r"policyTypes: \[Ingress, Egress\]", to="policyTypes: [Egress]"),
        Rewrite(operator="rule lost", pattern=r"(?m)^ *- (?:pod|namespace)Selector: .*\n(?= *- )", to=""),
        Rewrite(operator="port lost", pattern=r"(?<=ports: \[)\{[^{}]*\}, ", to=""),
        Rewrite(operator="any port", pattern=r"(?m)^ *ports: \[.*\]\n", to=""),
        Rewrite(operator="any namespace", pattern=_BOTH, to=r"\1- namespaceSelector: {}\n\1  podSelector"),
        Rewrite(operator="either", pattern=_BOTH, to=r"\1- \2\n\1- podSelector"),
        Rewrite(operator="label", pattern=r"(?<=matchLabels: \{)([\w./-]+: )[\w.-]+", to=r"\1other"),
    ),
)
