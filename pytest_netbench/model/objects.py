"""API objects of a Kubernetes cluster in a text, and how answers name them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

Object = dict[str, Any]
"""An API object as JSON has it."""
K8S: Final = "k8s"
POD: Final = "pod"
"""The role of nodes that are pods, and the address of a flow to the pod that its target is at the moment."""
WORKER: Final = "worker"
"""The role of nodes that are machines on which pods run."""
OUTSIDE: Final = "outside"
"""The role of nodes that are hosts outside of the cluster, whose addresses pods reach."""
NAMED: Final = ("Deployment", "NetworkPolicy", "Service")
"""Kinds of objects that an answer can name."""


def objects_of(text: str) -> list[Object]:
    """Return the objects of a YAML text of several documents.

    Raises:
        ValueError: It is no YAML, or one of its documents is no object.
    """
    import yaml  # only tasks on clusters need it

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        found = [one for one in yaml.load_all(text, Loader=loader) if one is not None]
    except yaml.YAMLError as error:
        raise ValueError(f"no YAML: {error}") from error
    if wrong := [one for one in found if not isinstance(one, dict) or "kind" not in one or "metadata" not in one]:
        raise ValueError(f"no API object with 'kind' and 'metadata': {str(wrong[0])[:100]}")
    return found


def resource_of(one: Object) -> str:
    """Return how an answer names an object, e.g. ``k8s/boutique/NetworkPolicy/frontend``."""
    return resource(one["metadata"].get("namespace", "default"), one["kind"], one["metadata"]["name"])


def resource(namespace: str, kind: str, name: str) -> str:
    """Return how an answer names an object in a namespace."""
    return f"{K8S}/{namespace}/{kind}/{name}"


@lru_cache(64)  # a task is asked for them more than once
def resources_of(text: str) -> tuple[str, ...]:
    """Return how answers name the objects of a text, in alphabetical order.

    Raises:
        ValueError: As ``objects_of``.
    """
    return tuple(sorted(resource_of(one) for one in objects_of(text) if one["kind"] in NAMED))


@lru_cache(64)
def deployments_of(text: str) -> dict[str, tuple[str, ...]]:
    """Return by namespace the names of the Deployments in a text, both in alphabetical order.

    Raises:
        ValueError: As ``objects_of``.
    """
    found = sorted(
        (one["metadata"].get("namespace", "default"), one["metadata"]["name"])
        for one in objects_of(text)
        if one["kind"] == "Deployment"
    )
    return {home: tuple(name for where, name in found if where == home) for home in dict(found)}
