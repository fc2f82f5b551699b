"""Reads the objects of an application from the text that deploys it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import yaml

from pytest_netbench.kubernetes.applications.policies import Object

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def objects_of(text: str) -> list[Object]:
    """Return the objects of a YAML text of several documents.

    Raises:
        ValueError: It is no YAML, or one of its documents is no object.
    """
    try:
        found = [one for one in yaml.load_all(text, Loader=_LOADER) if one is not None]
    except yaml.YAMLError as error:
        raise ValueError(f"no YAML: {error}") from error
    if wrong := [one for one in found if not isinstance(one, dict) or "kind" not in one or "metadata" not in one]:
        raise ValueError(f"no API object with 'kind' and 'metadata': {str(wrong[0])[:100]}")
    return found


@lru_cache(64)  # the brief of a task is asked for more than once
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
