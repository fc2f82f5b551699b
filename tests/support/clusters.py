"""A lab whose objects are in memory: what faults of clusters ask of a lab, without a cluster."""

from __future__ import annotations

from typing import Any

from pytest_netbench.errors import LabError
from tests.support.json_patch import as_stored

Key = tuple[str, str | None, str]


class MemoryCluster:
    """The capability ``cluster`` over objects in memory, stored as an API server stores them."""

    def __init__(self, objects: list[dict[str, Any]]) -> None:
        self.stored: dict[Key, dict[str, Any]] = {}
        for one in objects:
            self.stored[_key(one)] = as_stored(one) if "spec" in one else one

    def capability(self, kind: Any) -> MemoryCluster:
        assert kind.name == "cluster"
        return self

    def objects(self, kind: str, namespace: str | None = None) -> list[dict[str, Any]]:
        found = self.stored.items()
        return [one for (known, home, _), one in found if known == kind and namespace in {None, home}]

    def read(self, kind: str, namespace: str, name: str) -> dict[str, Any]:
        try:
            return self.stored[kind, namespace, name]
        except KeyError as error:
            raise LabError(f"no {kind} {namespace}/{name}") from error

    def replace(self, changed: dict[str, Any]) -> None:
        self.read(changed["kind"], changed["metadata"]["namespace"], changed["metadata"]["name"])
        self.stored[_key(changed)] = as_stored(changed)

    def create(self, new: dict[str, Any]) -> None:
        if _key(new) in self.stored:
            raise LabError(f"{_key(new)} is there")
        self.stored[_key(new)] = as_stored(new)

    def delete(self, kind: str, namespace: str, name: str) -> None:
        self.stored.pop((kind, namespace, name), None)


def _key(one: dict[str, Any]) -> Key:
    return one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]
