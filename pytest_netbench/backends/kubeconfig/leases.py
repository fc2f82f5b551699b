"""Namespaces of labs on a cluster: who has them and until when, and how they are removed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from pytest_netbench.errors import LabError
from pytest_netbench.lab.kubernetes.client import (
    CLUSTER_ROLE,
    CLUSTER_ROLE_BINDING,
    MERGE_PATCH,
    NAMESPACE,
    Api,
    Object,
    Refused,
)
from pytest_netbench.lab.owners import Owner

LAB: Final = "netbench.dev/lab"
"""A label of all that a lab has made: the lab. What does not have it is never touched."""
OWNER: Final = "netbench.dev/owner"
RENEWED: Final = "netbench.dev/renewed"
NOTES: Final = (OWNER, RENEWED)
RENEW_S: Final = 10.0
LEASE_S: Final = 60.0
"""A lab whose owner cannot be seen from here is removed if it was not renewed for so long."""
_GONE_S: Final = 90.0
_POLL_S: Final = 0.1
_NOT_FOUND, _CONFLICT = 404, 409
_REVIEW: Final = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


@dataclass(frozen=True)
class Held:
    """A namespace of a lab.

    Attributes:
        namespace: Its name.
        lab: The lab.
        owner: The process whose lab it is; ``None`` if that is not written readably.
        renewed: When that last said that it lives, by the server's clock.
        is_ending: Whether the namespace is being removed.
    """

    namespace: str
    lab: str
    owner: Owner | None
    renewed: datetime | None
    is_ending: bool

    def is_expired(self, now: datetime) -> bool:
        """Whether its owner has ended, as far as anybody can tell."""
        lives = None if self.owner is None else self.owner.lives()
        if lives is not None:
            return not lives
        return self.renewed is not None and (now - self.renewed).total_seconds() > LEASE_S

    def __str__(self) -> str:
        return f"namespace {self.namespace} of lab {self.lab}, which {self.owner or 'somebody'} owns"


async def now(api: Api) -> datetime:
    """The time by the server's clock."""
    review: Object = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    answer = await api.request("POST", _REVIEW, body=review)
    return _time(str(answer["metadata"]["creationTimestamp"]))


async def held(api: Api) -> list[Held]:
    """The namespaces of all labs on the cluster."""
    found = await api.list_all(NAMESPACE, labelSelector=LAB)
    return [_held(one) for one in found.get("items") or ()]


async def claim(api: Api, lab: str, names: Iterable[str], *, wait_s: float) -> None:
    """Make namespaces that this process owns. It is waited for those that a lab still has.

    Raises:
        LabError: One exists and is not of a lab, or is in use for longer than ``wait_s``.
    """
    end = asyncio.get_running_loop().time() + wait_s
    for name in names:
        while not await _made(api, lab, name):
            other = await _of(api, name)
            if other is None:
                continue
            if other.is_expired(await now(api)):
                await remove(api, other.lab)
            elif not other.is_ending and asyncio.get_running_loop().time() >= end:
                raise LabError(f"{other}, is in use")
            await asyncio.sleep(_POLL_S)


async def _made(api: Api, lab: str, name: str) -> bool:
    metadata = {"name": name, "labels": {LAB: lab}, "annotations": await _notes(api)}
    try:
        await api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    except Refused as error:
        if error.code != _CONFLICT:
            raise
        return False
    return True


async def _of(api: Api, name: str) -> Held | None:
    try:
        found = await api.read(NAMESPACE, None, name)
    except Refused as error:
        if error.code != _NOT_FOUND:
            raise
        return None
    if LAB not in (found["metadata"].get("labels") or {}):
        raise LabError(f"the cluster has a namespace {name}, which no lab made: it is not touched")
    return _held(found)


async def renew(api: Api, names: Iterable[str]) -> None:
    """Say that the owner of namespaces lives."""
    change: Object = {"metadata": {"annotations": await _notes(api)}}
    for name in names:
        await api.patch(NAMESPACE, None, name, change, content_type=MERGE_PATCH)


async def _notes(api: Api) -> dict[str, str]:
    return {OWNER: Owner.here().to_json(), RENEWED: (await now(api)).isoformat()}


async def remove(api: Api, lab: str) -> list[str]:
    """Remove all that a lab has made; returns the namespaces once they are gone.

    Raises:
        LabError: One is still there.
    """
    selected = {"labelSelector": f"{LAB}={lab}"}
    for kind in (CLUSTER_ROLE_BINDING, CLUSTER_ROLE):
        for one in (await api.list_all(kind, **selected)).get("items") or ():
            await _deleted(api.delete(kind, None, one["metadata"]["name"]))
    names = [one["metadata"]["name"] for one in (await api.list_all(NAMESPACE, **selected)).get("items") or ()]
    await asyncio.gather(*(_deleted(api.delete(NAMESPACE, None, name)) for name in names))
    end = asyncio.get_running_loop().time() + _GONE_S
    while (await api.list_all(NAMESPACE, **selected)).get("items"):
        if asyncio.get_running_loop().time() > end:
            raise LabError(f"namespaces of lab {lab} are still there after {_GONE_S:g} s: {', '.join(names)}")
        await asyncio.sleep(_POLL_S)
    return names


async def _deleted(request: object) -> None:
    try:
        await request  # type: ignore[misc]
    except Refused as error:
        if error.code not in (_NOT_FOUND, _CONFLICT):  # gone, or going
            raise


def _held(one: Object) -> Held:
    metadata = one["metadata"]
    notes = metadata.get("annotations") or {}
    try:
        owner = Owner.from_json(notes[OWNER])
    except (KeyError, ValueError):
        owner = None
    try:
        renewed = _time(notes[RENEWED])
    except (KeyError, ValueError):
        renewed = None
    return Held(metadata["name"], metadata["labels"][LAB], owner, renewed, "deletionTimestamp" in metadata)


def _time(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
