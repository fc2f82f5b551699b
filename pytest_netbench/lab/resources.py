"""Which backend serves which kind of resource. A backend is a part of the kind's group; none is known here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_netbench import parts
from pytest_netbench.errors import UsageError
from pytest_netbench.lab.protocols import Backend
from pytest_netbench.model.payload import Resource

GROUPS: Final[Mapping[Resource, parts.Group]] = {"lab": "backends", "sandbox": "sandboxes", "cluster": "clusters"}
"""By kind: the group of parts that serve it."""
DEFAULT: Final = "netns"
"""What deploys labs and opens sandboxes if no backend is chosen for them."""
DEFAULTS: Final[Mapping[Resource, str]] = {"lab": DEFAULT, "sandbox": DEFAULT, "cluster": "kube"}
"""By kind: what serves it if no backend is chosen for it."""

Chosen = str | Sequence[str] | Backend
"""The choice of backends: names, at most one for each kind, or an object that deploys labs."""


def kinds(name: str) -> tuple[Resource, ...]:
    """The kinds of resources that the backend called ``name`` serves.

    Raises:
        UsageError: No such backend; names the known ones and the nearest.
    """
    found = tuple(kind for kind, group in GROUPS.items() if name in parts.names(group))
    if not found:
        raise parts.unknown(name, *GROUPS.values())
    return found


def by_kind(chosen: Chosen) -> dict[Resource, str]:
    """The name of the backend of each kind.

    Raises:
        UsageError: A backend is not known, or two serve the same kind.
    """
    if not isinstance(chosen, Sequence):
        return {**by_kind(()), "lab": chosen.name}
    found: dict[Resource, str] = {}
    for name in (chosen,) if isinstance(chosen, str) else chosen:
        for kind in kinds(name):
            other = found.setdefault(kind, name)
            if other != name:
                raise UsageError(
                    f"the backends {other!r} and {name!r} both serve resources of the kind {kind!r}: give one backend"
                    f" for each kind ({', '.join(GROUPS)}). A kind without one has {DEFAULTS[kind]!r}"
                )
    return {kind: found.get(kind, DEFAULTS[kind]) for kind in GROUPS}


def backend_of(kind: Resource, chosen: Chosen) -> Any:
    """The backend of ``kind``: a ``Backend`` for labs, ``Sandboxes`` for sandboxes, ``Clusters`` for clusters.

    Raises:
        UsageError: As for ``by_kind``.
    """
    if kind == "lab" and not isinstance(chosen, Sequence):
        return chosen
    return parts.load(GROUPS[kind], by_kind(chosen)[kind])()
