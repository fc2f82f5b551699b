"""``path``: packets take these hops, in order."""

from __future__ import annotations

import ipaddress
from typing import Final

from pytest_netbench.evaluation.observation import Observation, View, is_address
from pytest_netbench.evaluation.testcases.kind import Kind
from pytest_netbench.model.testcase import PathTestcase

SPARE_HOPS = 3
MAX_HOPS = 32


def expected(testcase: PathTestcase) -> str:
    """The condition, for people."""
    return f"path from {testcase.source} to {testcase.target}: {' > '.join(testcase.hops)}"


def observe(testcase: PathTestcase, view: View) -> Observation:
    """Trace the path and compare hop by hop."""
    source = view.node(testcase.source)
    for hop in testcase.hops:
        if not is_address(hop):
            view.node(hop)
    target = view.address(testcase.target)
    hops = view.path(source, target, max_hops=min(MAX_HOPS, len(testcase.hops) + SPARE_HOPS))
    holds = len(hops) == len(testcase.hops) and all(
        _is(hop.address, wanted, view) for hop, wanted in zip(hops, testcase.hops, strict=True)
    )
    return Observation(
        holds=holds,
        command=f"trace from {source} to {target}",
        actual=" > ".join(_words(hop.address, view) for hop in hops) or "no hop answered",
    )


def _is(address: str | None, wanted: str, view: View) -> bool:
    if address is None:
        return False
    if is_address(wanted):
        return ipaddress.ip_address(address) == ipaddress.ip_address(wanted)
    return view.owner(address, among=(wanted,)) is not None


def _words(address: str | None, view: View) -> str:
    if address is None:
        return "*"
    owner = view.owner(address)
    return address if owner is None else f"{owner} ({address})"


KIND: Final = Kind(observe=observe, expected=expected)
