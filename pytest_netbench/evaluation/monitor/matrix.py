"""The state of watched flows as a text for people and agents. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pytest_netbench.model.watch import WatchedFlow


def reachability(flows: Sequence[WatchedFlow], wrong: Collection[int]) -> str:
    """Return who reaches whom by ICMP, one line per sender, then the flows to ports; counts are exact.

    A target that is not reached is an ``X``, as in the output of Mininet's ``pingall``. Flows that must not get through
    are left out: the text says what works and not what is wanted.
    """
    rows: dict[str, list[str]] = {}
    services: list[str] = []
    sent = received = 0
    for number, flow in enumerate(flows):
        if not flow.allowed:
            continue
        works = number not in wrong
        if flow.protocol == "icmp":
            sent, received = sent + 1, received + works
            rows.setdefault(flow.source, []).append(flow.target if works else "X")
        elif not works:
            services.append(f"{flow.source} does not reach {flow.target} {flow.protocol} port {flow.port}")
    lines = [f"{source} -> {' '.join(targets)}" for source, targets in rows.items()]
    return "\n".join([*lines, *services, f"{sent - received} of {sent} pings lost"])
