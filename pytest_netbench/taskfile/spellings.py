"""Interfaces that a link abbreviates and the node's configuration writes in another way."""

from __future__ import annotations

import re

from pytest_netbench.documents.problems import hint
from pytest_netbench.model.configure import Configure
from pytest_netbench.model.payload import Networked
from pytest_netbench.taskfile.names import full_name


def spelled_otherwise(network: Networked) -> dict[tuple[int, str], str]:
    """By link and node: what is wrong with an interface that the link abbreviates.

    An abbreviation is an error if the node's configurations do not write it in the same way: whoever reads the link
    does not find its interface there.
    """
    found = {}
    for index, link in enumerate(network.topology.links):
        for end in link.endpoints:
            platform = network.platform_of(end.node)
            full = full_name(platform, end.interface)
            text = _configs(network, end.node)
            if full == end.interface or not _interfaces(text) or _names(text, end.interface):
                continue
            if _names(text, full):
                message = (
                    f"link {str(link)!r}: the configuration of {end.node} calls this interface {full!r}; write it so"
                )
            else:
                near = hint(full, _interfaces(text))
                message = (
                    f"link {str(link)!r}: {end.interface!r} is interface {full!r} of platform {platform!r}, which the"
                    f" configuration of {end.node} does not name.{near}"
                )
            found[index, end.node] = message
    return found


def _configs(network: Networked, node: str) -> str:
    truth = network.ground_truth_configs.get(node, ()) if isinstance(network, Configure) else ()
    return "\n".join([network.startup_configs.get(node, ""), *truth])


def _names(text: str, interface: str) -> bool:
    return re.search(rf"(?<![\w/.]){re.escape(interface)}(?![\w/])", text, re.IGNORECASE) is not None


def _interfaces(text: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"(?im)^\s*interface\s+(\S+)", text)))
