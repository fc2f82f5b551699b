"""Programs of Kubernetes for tests, and objects that they make.

``python -m tests.integration.kube`` brings the programs, and prints their folder.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pytest_netbench.backends.kube.api import Api
from pytest_netbench.backends.kube.binaries import Binaries, find
from pytest_netbench.backends.kube.control_plane import ControlPlane
from pytest_netbench.backends.kube.installation.installing import install
from pytest_netbench.errors import RequirementMissing
from tests.support.plane_owner import descendants
from tests.support.programs import cache


def binaries_of_this_machine(*, say: Callable[[str], None]) -> Binaries:
    """Those that are there, or that this machine can make.

    Raises:
        RequirementMissing: It cannot.
    """
    try:
        return find()
    except RequirementMissing:
        return find(install(say=say, place=cache() / "kube"))


def create(api: Api, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Make an object, which the API server must accept."""
    status, text = api.request("POST", path, body)
    assert status in (200, 201, 202), text
    made: dict[str, Any] = json.loads(text)
    return made


def deployment(name: str, *, replicas: int = 1) -> dict[str, Any]:
    """A Deployment whose pods no node runs."""
    labels = {"app": name}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "none"}]}}
    return {
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": pod},
    }


def pods(api: Api, namespace: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.json(f"/api/v1/namespaces/{namespace}/pods")["items"]
    return found


def until(condition: Callable[[], bool], what: str, *, within_s: float = 60) -> None:
    """Wait for a condition."""
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, f"not within {within_s} s: {what}"
        time.sleep(0.02)


def dump(plane: ControlPlane) -> dict[str, Any]:
    """All objects of all resources that the API server lists, without what counts changes."""
    found: dict[str, Any] = {}
    for path in _collections(plane.api):
        for item in plane.api.json(path)["items"]:
            metadata = item["metadata"]
            del metadata["resourceVersion"]
            if path.endswith("/leases"):  # the API server renews its own
                del item["spec"]["renewTime"]
                for manager in metadata["managedFields"]:
                    del manager["time"]
            found[f"{path} {metadata.get('namespace', '')} {metadata['name']}"] = item
    return found


def resident_mb(plane: ControlPlane) -> float:
    """Memory of all its processes; what several share counts once."""
    total = 0
    for pid in (plane.pid, *descendants(plane.pid)):
        (line,) = (one for one in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines() if one.startswith("Pss:"))
        total += int(line.split()[1])
    return total / 1024


def _collections(api: Api) -> Iterator[str]:
    groups = [version["groupVersion"] for group in api.json("/apis")["groups"] for version in group["versions"]]
    for place in ("/api/v1", *(f"/apis/{group}" for group in groups)):
        for resource in api.json(place)["resources"]:
            # the statuses of components are measured when they are asked for
            if not {"/", "componentstatuses"} & {*resource["name"], resource["name"]} and "list" in resource["verbs"]:
                yield f"{place}/{resource['name']}"


if __name__ == "__main__":
    print(binaries_of_this_machine(say=lambda words: print(words, file=sys.stderr)).folder)
