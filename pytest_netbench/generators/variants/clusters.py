"""Draws the skin of a task on a cluster: names of Deployments, namespaces and hosts outside, and addresses.

These names are words of objects, labels, commands and hosts alike, so they are replaced in all texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Final

from pytest_netbench.generators.variants.documents import texts
from pytest_netbench.generators.variants.plan import DOCUMENTATION, draw_addresses
from pytest_netbench.generators.variants.tokens import mentions
from pytest_netbench.generators.variants.vocabulary import WORDS
from pytest_netbench.kubernetes.applications.addresses import DNS_ADDRESS, DNS_NAMESPACE, DNS_NODE, SERVICES
from pytest_netbench.model.objects import OUTSIDE, POD, objects_of
from pytest_netbench.model.payload import CLUSTER_PLATFORM, Networked
from pytest_netbench.model.task import Task
from pytest_netbench.model.variant import Skin

ROOTS: Final = (f"{SERVICES}/16", *DOCUMENTATION)
"""Blocks inside which addresses move: services stay in the network of the cluster."""
_KEPT: Final = frozenset({DNS_NODE, DNS_NAMESPACE, "default", "kube-public", "kube-node-lease"})
_PATH: Final = r"/{}/|{}/v\d"
"""Where a name is no name: in the path of an API, or in the version of one."""


def cluster_skin(task: Task, rng: Random) -> Skin:
    """The skin of a task on a cluster, drawn from ``rng``. A name keeps its noun, which says what the pod is for."""
    every = [text for text, _ in texts(task.model_dump(mode="json", by_alias=True))]
    joined = "\n".join(every)
    names = [one for one in _names(task.network) if re.search(_PATH.format(*[re.escape(one)] * 2), joined) is None]
    words = rng.sample([word for word in WORDS if word not in joined.lower()], len(names))
    flips, documentation = draw_addresses(
        (one for text in every for one in mentions(text)), rng, roots=ROOTS, still=(DNS_ADDRESS,)
    )
    # the order of names stays
    new = {name: f"{word}-{name}" for name, word in zip(names, sorted(words), strict=True)}
    return Skin(names=new, flips=flips, documentation=documentation)


def _names(network: Networked) -> list[str]:
    """The names that may change, in order."""
    return sorted({*_of_nodes(network), *_of_namespaces(network)} - _KEPT)


def _of_nodes(network: Networked) -> Iterator[str]:
    yield from (node.name for node in network.topology.nodes if node.role in (POD, OUTSIDE))


def _of_namespaces(network: Networked) -> Iterator[str]:
    for node in network.topology.nodes:
        if network.platform_of(node.name) == CLUSTER_PLATFORM:
            found = objects_of(network.startup_configs.get(node.name, ""))
            yield from (one["metadata"]["name"] for one in found if one["kind"] == "Namespace")
