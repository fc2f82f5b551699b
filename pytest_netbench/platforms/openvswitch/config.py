"""The running config of a switch: that of its Linux, then its bridges with their flows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_netbench.dialects.openvswitch.flows import FlowRule, flows
from pytest_netbench.errors import LabDied, LabError
from pytest_netbench.platforms.capabilities import HostNode
from pytest_netbench.platforms.linux import config as linux
from pytest_netbench.platforms.openvswitch import database
from pytest_netbench.platforms.openvswitch.database import Bridge

_REWRITE = "/run/openvswitch/flows"


def running_config(node: HostNode) -> str:
    """Read it in a few round trips. What an agent has ended answers nothing, and the config says so."""
    return linux.running_config(node) + "".join(f"{line}\n" for line in _bridges(node))


def _bridges(node: HostNode) -> Iterator[str]:
    try:
        bridges = database.read(node)
    except LabDied:
        raise
    except LabError as error:
        yield f"! {error}"
        return
    for bridge in bridges:
        try:
            (table,) = read_flows(node, [bridge.name])
        except LabDied:
            raise
        except LabError as error:
            yield from _block(bridge, ())
            yield f" ! {error}"
        else:
            yield from _block(bridge, table)


def read_flows(node: HostNode, bridges: Sequence[str]) -> list[list[FlowRule]]:
    """Return the flows of each bridge.

    Raises:
        LabError: One does not answer.
    """
    found = []
    for name, done in zip(bridges, node.run_many([_listing(name) for name in bridges]) if bridges else (), strict=True):
        if done.returncode != 0:
            raise LabError(f"{node.name}: the flows of {name} cannot be read: {done.stderr.strip()}")
        found.append(flows(done.stdout))
    return found


def rejuvenate(node: HostNode) -> None:
    """Replace all flows by themselves, at once: each begins anew, so that no age and no counter tells them apart.

    Raises:
        LabError: A bridge refuses.
    """
    for bridge in database.read(node):
        (table,) = read_flows(node, [bridge.name])
        node.write_file(_REWRITE, "".join(f"{line}\n" for line in ("delete", *(f"add {one}" for one in table))))
        done = node.run(["ovs-ofctl", "--bundle", "add-flows", bridge.name, _REWRITE])
        node.run(["rm", "-f", _REWRITE])
        if done.returncode != 0:
            raise LabError(f"{node.name}: the flows of {bridge.name} cannot be written: {done.stderr.strip()}")


def _listing(bridge: str) -> list[str]:
    return ["ovs-ofctl", "--no-stats", "--no-names", "dump-flows", bridge]


def _block(bridge: Bridge, table: Sequence[FlowRule]) -> Iterator[str]:
    yield f"bridge {bridge.name}"
    yield from (f" {line}" for line in bridge.settings)
    for target in bridge.controllers:
        yield " ".join([f" controller {target.address}", *target.settings])
    yield from (f" port {' '.join(words)}" for words in bridge.ports)
    yield from (f" flow {one}" for one in table)
