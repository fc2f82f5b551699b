"""What a cluster offers to drivers, faults and tests beside its nodes: its objects."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol


class ClusterControl(Protocol):
    """The objects of a cluster, as its administrator sees and changes them. Objects are as JSON has them."""

    @property
    def version(self) -> str:
        """The version of the API server."""
        ...

    def managed(self) -> Sequence[dict[str, Any]]:
        """The objects of the application's namespaces that people manage, without status and fields of the server.

        Raises:
            LabError: The API does not answer.
        """
        ...

    def objects(self, kind: str, namespace: str | None = None) -> Sequence[dict[str, Any]]:
        """All objects of a kind, e.g. ``NetworkPolicy``, without status and fields of the server.

        Args:
            kind: The kind, as in ``kind`` of an object.
            namespace: Of the objects; ``None`` for all namespaces.

        Raises:
            LabError: The API does not answer, or there is no such kind.
        """
        ...

    def read(self, kind: str, namespace: str, name: str) -> dict[str, Any]:
        """One object, without status and fields of the server.

        Raises:
            LabError: There is none, or the API does not answer.
        """
        ...

    def replace(self, changed: dict[str, Any]) -> None:
        """Give an object that there is another content, and return once it is in force. Its name and namespace stay.

        The cluster is then as if it had been deployed so: all objects of the kinds that faults change are created anew,
        so that no generation, time or manager tells what was changed. The same holds for ``create`` and ``delete``.

        Raises:
            LabError: There is none, or the API refuses it.
        """
        ...

    def create(self, new: dict[str, Any]) -> None:
        """Create an object, and return once it is in force.

        Raises:
            LabError: There is one of this name, or the API refuses it.
        """
        ...

    def renew(self) -> None:
        """Create the same objects anew as ``replace`` does, and change none: nothing tells that there is no fault.

        Raises:
            LabError: The API refuses one.
        """
        ...

    def renews(self, kinds: Collection[str]) -> None:
        """From now on let changes make all objects of these kinds anew; before, of all kinds that faults change.

        Raises:
            LabError: There is no such kind.
        """
        ...

    def delete(self, kind: str, namespace: str, name: str) -> None:
        """Delete an object, and return once it is gone. No effect if there is none.

        Raises:
            LabError: The API does not answer, or refuses it.
        """
        ...
