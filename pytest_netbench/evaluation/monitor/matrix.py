"""The state of watched flows as a text for people and agents. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from pytest_netbench.model.watch import WatchedFlow


def reachability(flows: Sequence[WatchedFlow], wrong: Collection[int]) -> str:
    """Return who reaches whom by ICMP, one line per sender, then the flows to ports; counts are exact.

    A target that is not reached is an ``X``, as in the output of Mininet's ``pingall``. Flows that must not get through
    are left out: the text says what works and not what is wanted. Where nobody pings, as in clusters, which are told
    exactly what must work and what must not, it names each flow that is wrong.
    """
    if not any(flow.protocol == "icmp" for flow in flows):
        return "\n".join([*_wrong_ones(flows, wrong), f"{len(wrong)} of {len(flows)} connections are wrong"])
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
            services.append(f"{flow.source} does not reach {_port(flow)}")
    lines = [f"{source} -> {' '.join(targets)}" for source, targets in rows.items()]
    return "\n".join([*lines, *services, f"{sent - received} of {sent} pings lost"])


def _wrong_ones(flows: Sequence[WatchedFlow], wrong: Collection[int]) -> Iterator[str]:
    for number, flow in enumerate(flows):
        if number in wrong and flow.allowed:
            yield f"{flow.source} does not reach {_port(flow)}"
        elif number in wrong:
            yield f"{flow.source} reaches {_port(flow)}, which must not work"


def _port(flow: WatchedFlow) -> str:
    return f"{flow.target} {flow.protocol} port {flow.port}"
