"""Which testcases can be measured on a cluster that exists. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from pytest_netbench.kubernetes.applications.addresses import DNS_ADDRESS
from pytest_netbench.kubernetes.objects import Object
from pytest_netbench.model.testcase import ReachabilityTestcase, Testcase, UnbrokenTestcase

PROTOCOLS: Final = ("tcp", "udp")
_NOT_MEASURED: Final = {
    "marking": "sees no markings of packets",
    "path": "traces no paths between pods",
    "reference": "compares no recorded behaviour",
    "throughput": "measures no traffic between pods",
}


def beyond(testcases: Iterable[Testcase], objects: Iterable[Object]) -> str | None:
    """Say why a testcase cannot be measured; ``None`` if all can.

    Args:
        testcases: Of the task.
        objects: Of the application.
    """
    found = [*objects]
    pods = {one["metadata"]["name"] for one in found if one["kind"] == "Deployment"}
    services = {one["spec"].get("clusterIP") for one in found if one["kind"] == "Service"}
    for one in testcases:
        if (lack := _lack(one, pods, {*services, DNS_ADDRESS})) is not None:
            return f"backend kubeconfig {lack}: testcase {one.name!r} cannot be measured"
    return None


def _lack(testcase: Testcase, pods: Collection[str], addresses: Collection[str]) -> str | None:
    if isinstance(testcase, UnbrokenTestcase):
        return _flow_lack(testcase.flow, pods, addresses)
    if isinstance(testcase, ReachabilityTestcase):
        return _flow_lack(testcase, pods, addresses)
    return _NOT_MEASURED.get(testcase.kind)


def _flow_lack(flow: ReachabilityTestcase, pods: Collection[str], addresses: Collection[str]) -> str | None:
    if flow.protocol not in PROTOCOLS:
        return f"sends TCP and UDP only, no {flow.protocol.upper()}"
    if flow.source_address or flow.source_port or flow.seen_source:
        return "gives flows no source of their own and does not see the source of what arrives"
    if flow.source not in pods:
        return f"runs no command in pod {flow.source}, which is not one of the task's"
    if flow.target not in pods and flow.target not in addresses:
        return f"cannot answer in {flow.target}, which is no pod or service of the task's"
    return None
