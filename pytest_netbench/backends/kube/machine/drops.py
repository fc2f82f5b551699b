"""Rules by which a machine drops packets that it should pass: of faults, beside its services and policies. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_netbench.backends.kube.plan import CONTROL_PLANE_ADDRESS, PODS, SERVICES, Machine
from pytest_netbench.lab.capabilities import Dropped

TABLE: Final = "netbench-drops"
API: Final = "api"
_DNS: Final = 53
_PRIORITY: Final = {"prerouting": "raw"}
"""By hook, where it is not that of filters: before addresses of services are translated."""


def ruleset(machine: Machine, what: Dropped) -> str:
    """The commands of ``nft`` that let a machine drop something, and nothing else any more."""
    chains = _rules(machine)[what]
    return "\n".join(
        [
            *_cleared(),
            f"table ip {TABLE} {{",
            *(line for hook, rules in chains.items() for line in _chain(hook, rules)),
            "}",
            "",
        ]
    )


def cleared() -> str:
    """The commands of ``nft`` that let a machine drop nothing any more."""
    return "\n".join([*_cleared(), ""])


def _rules(machine: Machine) -> Mapping[Dropped, Mapping[str, Sequence[str]]]:
    """By what is dropped: rules by hook."""
    to_api, from_api = (f"ip {end} {CONTROL_PLANE_ADDRESS} drop" for end in ("daddr", "saddr"))
    return {
        "services": {"prerouting": (f"ip saddr {machine.pods} ip daddr {SERVICES} drop",)},
        "dns": {"forward": (f"ip daddr {PODS} meta l4proto {{ tcp, udp }} th dport {_DNS} drop",)},
        API: {"input": (from_api,), "output": (to_api,), "forward": (to_api, from_api)},
    }


def _cleared() -> Sequence[str]:
    return f"table ip {TABLE}", f"delete table ip {TABLE}"


def _chain(hook: str, rules: Sequence[str]) -> Sequence[str]:
    head = f"type filter hook {hook} priority {_PRIORITY.get(hook, 'filter')}; policy accept;"
    return f"  chain {hook} {{", *(f"    {line}" for line in (head, *rules)), "  }"
