"""Objects of a cluster made anew, so that nothing tells which of them a fault changed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from pytest_netbench.backends.kube.contents import Contents, at_once
from pytest_netbench.backends.kube.control_plane import ControlPlane
from pytest_netbench.backends.kube.machine.worker import Worker
from pytest_netbench.backends.kube.view import View
from pytest_netbench.errors import LabError
from pytest_netbench.lab.kubernetes.client import (
    DEPLOYMENT,
    EVENT,
    NETWORK_POLICY,
    POD,
    RENEWED,
    REPLICA_SET,
    Api,
    Kind,
    Object,
)
from pytest_netbench.lab.kubernetes.stores import Key, key_of

_AT_ONCE_GONE: Final = {"propagationPolicy": "Background", "gracePeriodSeconds": "0"}
_SEEN_S: Final = 10.0
_LOOK_S: Final = 0.003
Place = tuple[str, Key]
"""The kind and the key of an object."""


class Renewal:
    """Makes the objects of an application anew. All runs in the cluster's event loop.

    Args:
        api: The API server, as its administrator.
        control_plane: The same, and its store.
        view: What it has.
        contents: What is deployed.
    """

    def __init__(self, api: Api, control_plane: ControlPlane, view: View, contents: Contents) -> None:
        self._api = api
        self._control_plane = control_plane
        self._view = view
        self._contents = contents

    async def put(
        self, kinds: Sequence[Kind], objects: Sequence[Object], gone: Place | None, workers: Sequence[Worker]
    ) -> None:
        """Make all objects of some kinds in the application's namespaces anew, with these objects and without one.

        With Deployments events, which name the pods of before, are removed. The machines write no rules until they are
        released.

        Args:
            kinds: Which.
            objects: Those that are other ones then.
            gone: The one that is not there then.
            workers: The machines.

        Raises:
            LabError: The API refuses an object.
        """
        contents = self._contents
        names = {one.name for one in kinds}
        wanted = {_place(one): one for one in await contents.managed() if one["kind"] in names}
        wanted |= {_place(one): one for one in objects}
        wanted = {place: one for place, one in wanted.items() if place != gone}
        await self._hold(workers, pods=DEPLOYMENT in kinds)
        await self._remove(kinds)
        kept = [one for one in contents.asked if one["kind"] not in names or not contents.has(one)]
        contents.asked = [*kept, *wanted.values()]
        # pods must not be seen to begin before the policies that isolate them
        await at_once(self._api.create(wanted[place]) for place in sorted(wanted, reverse=True))

    async def _hold(self, workers: Sequence[Worker], *, pods: bool) -> None:
        """Let machines write no rules, and nothing of what happened to pods of the application if these end."""
        for worker in workers:
            worker.hold()
        if pods:
            uids = [one["metadata"]["uid"] for one in self._view.objects(POD) if self._contents.has(one)]
            await asyncio.gather(*(worker.kubelet.recorder.forget(uids) for worker in workers))

    async def _remove(self, kinds: Sequence[Kind]) -> None:
        """Remove what is made anew, and what controllers made of it.

        Each kind is gone for all who follow the API before the next one is removed: a controller that does not know yet
        that a Deployment is gone would make pods of it again.
        """
        spaces = sorted(self._contents.spaces)
        plain = [one for one in kinds if one in RENEWED]
        await self._remove_below([f"{one.plural}/{space}/" for one in plain for space in spaces])
        if DEPLOYMENT in kinds:
            await self._gone(DEPLOYMENT)
            await self._remove_below([f"{REPLICA_SET.plural}/{space}/" for space in spaces])
            await self._gone(REPLICA_SET)
            alone = [f"{POD.plural}/{'/'.join(key_of(one))}" for one in self._contents.asked if one["kind"] == POD.name]
            names = (POD.plural, EVENT.plural)
            await self._remove_below([f"{one}/{space}/" for one in names for space in spaces], kept=alone)
        # others may have finalizers, or addresses that are given back
        others = [one for one in kinds if one not in RENEWED]
        await at_once(
            self._api.request("DELETE", one.path(space), params=_AT_ONCE_GONE) for one in others for space in spaces
        )

    async def _remove_below(self, prefixes: Sequence[str], *, kept: Sequence[str] = ()) -> None:
        await asyncio.to_thread(self._control_plane.remove, *prefixes, kept=kept)

    async def _gone(self, kind: Kind) -> None:
        """Return once the API server, which tells all who follow, knows that the application has none of a kind."""
        async with asyncio.timeout(_SEEN_S):
            while any(map(self._contents.has, await self._cached(kind))):
                await asyncio.sleep(_LOOK_S)

    async def _cached(self, kind: Kind) -> Sequence[Object]:
        return (await self._api.list_all(kind, resourceVersion="0")).get("items") or ()

    async def check(self) -> None:
        """Check that all there is was asked for, or belongs to what was created last.

        Raises:
            LabError: A controller made something of an object that was removed, or an object of before is there.
        """
        kinds = (DEPLOYMENT, REPLICA_SET, NETWORK_POLICY)
        listed = await asyncio.gather(*map(self._api.list_all, kinds))
        found = {kind: one["items"] for kind, one in zip(kinds, listed, strict=True)} | {POD: self._view.objects(POD)}
        mine = {kind: [one for one in some if self._contents.has(one)] for kind, some in found.items()}
        asked = {_place(one) for one in self._contents.asked}
        late = [
            one
            for kind in (DEPLOYMENT, NETWORK_POLICY)
            for one in mine[kind]
            if (kind.name, key_of(one)) not in asked or (one.get("status") or {}).get("collisionCount")
        ]
        late += [one for kind, owner in _MADE_OF.items() for one in mine[kind] if not _is_of(one, mine[owner])]
        if late:
            names = ", ".join("/".join(key_of(one)) for one in late)
            raise LabError(f"the cluster has objects of before, or controllers made something of those: {names}")


_MADE_OF: Final[Mapping[Kind, Kind]] = {REPLICA_SET: DEPLOYMENT, POD: REPLICA_SET}


def _is_of(one: Object, owners: Sequence[Object]) -> bool:
    """Whether nobody owns an object, or one of ``owners`` does."""
    uids = {owner["metadata"]["uid"] for owner in owners}
    return all(owner["uid"] in uids for owner in one["metadata"].get("ownerReferences") or ())


def _place(one: Object) -> Place:
    return str(one["kind"]), key_of(one)
