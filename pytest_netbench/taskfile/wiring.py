"""Addresses at the two ends of a link that do not fit each other. They may be meant: a fault to find, for example."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from pytest_netbench.dialects.base import match_values_of
from pytest_netbench.dialects.match_values import Attachment
from pytest_netbench.model.payload import Networked
from pytest_netbench.model.topology import Endpoint, Link
from pytest_netbench.taskfile.names import dialect_of, full_name


def strange_links(network: Networked) -> Iterator[tuple[int, str]]:
    """The index of each link whose startup addresses do not fit, and why.

    Links to nodes without a startup address, e.g. switches, are not judged.
    """
    attached = {node.name: _attachments(network, node.name) for node in network.topology.nodes}
    for index, link in enumerate(network.topology.links):
        ends = [(end, at) for end in link.endpoints if (at := attached[end.node].get(_full(network, end)))]
        for position, (one, here) in enumerate(ends):
            for other, there in ends[position + 1 :]:
                if (message := _strange(link, one, here, other, there)) is not None:
                    yield index, message


def _strange(link: Link, one: Endpoint, here: list[Attachment], other: Endpoint, there: list[Attachment]) -> str | None:
    same = {at.address for at in here} & {at.address for at in there}
    if same:
        return f"link {str(link)!r}: {one.node} and {other.node} both have the address {min(map(str, same))}"
    for version in (4, 6):
        ours = [at.subnet for at in here if at.address.version == version and at.subnet.first != at.subnet.last]
        theirs = [at.subnet for at in there if at.address.version == version and at.subnet.first != at.subnet.last]
        if ours and theirs and not set(ours) & set(theirs):
            return (
                f"link {str(link)!r}: {one.node} is in {', '.join(map(str, ours))} there, and {other.node} in"
                f" {', '.join(map(str, theirs))}"
            )
    return None


def _attachments(network: Networked, node: str) -> dict[str, list[Attachment]]:
    """By full name of an interface: its addresses at startup."""
    platform = network.platform_of(node)
    values = match_values_of(dialect_of(platform), network.startup_configs.get(node, ""))
    if values is None:
        return {}
    found: dict[str, list[Attachment]] = {}
    for at in values.attachments:
        with suppress(ValueError):
            found.setdefault(full_name(platform, at.interface), []).append(at)
    return found


def _full(network: Networked, end: Endpoint) -> str:
    return full_name(network.platform_of(end.node), end.interface)
