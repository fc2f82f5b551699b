"""What a machine knows of the API: lists of objects that a watch keeps up to date."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence

from pytest_netbench.errors import LabError
from pytest_netbench.lab.kubernetes.client import Api, Kind, Object, Refused

_RETRY_S = 0.5
_GONE = 410
Key = tuple[str, str]
"""Namespace (empty without one) and name."""
Listener = Callable[[Object | None, Object | None], None]
"""Is told of the object before and after a change."""


class Store:
    """All objects of a kind, or of those that a selector names.

    Args:
        api: Where they come from.
        kind: Of what.
        field_selector: Which ones; all by default.
    """

    def __init__(self, api: Api, kind: Kind, *, field_selector: str = "") -> None:
        self.kind = kind
        self._api = api
        self._params = {"fieldSelector": field_selector} if field_selector else {}
        self.objects: dict[Key, Object] = {}
        self.changed_at = time.monotonic()
        """When one of them changed by last, in seconds of the monotonic clock."""
        self._listeners: list[Listener] = []
        self._changed = asyncio.Condition()
        self.listed = asyncio.Event()
        self._version = ""
        """Up to which all is known; empty if it is to be listed."""

    def begin_with(self, other: Store) -> None:
        """Have what another store of the kind has, which has listed, and follow from there."""
        self._version = other._version
        self._replace(other.objects)
        self.listed.set()

    def listen(self, listener: Listener) -> None:
        """Tell ``listener`` of each change from now on."""
        self._listeners.append(listener)

    async def follow(self) -> None:
        """List and watch for ever. A connection that breaks is opened again."""
        while True:
            try:
                if not self._version:
                    await self._list()
                async for event in self._api.watch(self.kind, self._version, **self._params):
                    if event["type"] == "ERROR":
                        break
                    await self._take(event)
                self._version = ""
            except Refused as error:
                if error.code != _GONE:
                    await asyncio.sleep(_RETRY_S)
                self._version = ""
            except LabError:
                self._version = ""
                await asyncio.sleep(_RETRY_S)

    async def _list(self) -> None:
        found = await self._api.list_all(self.kind, **self._params)
        self._version = str(found["metadata"]["resourceVersion"])
        self._replace({key_of(one): one for one in found.get("items") or ()})
        self.listed.set()
        await self._notify()

    def _replace(self, new: Mapping[Key, Object]) -> None:
        for key in [*self.objects]:
            if key not in new:
                self._tell(self.objects.pop(key), None)
        for key, one in new.items():
            old = self.objects.get(key)
            if old is None or version_of(old) != version_of(one):
                self.objects[key] = one
                self._tell(old, one)

    async def _take(self, event: Object) -> None:
        one = event["object"]
        self._version = version_of(one)
        if event["type"] == "BOOKMARK":
            return
        key = key_of(one)
        old = self.objects.get(key)
        if event["type"] == "DELETED":
            self.objects.pop(key, None)
            self._tell(old or one, None)
        else:
            self.objects[key] = one
            self._tell(old, one)
        await self._notify()

    def _tell(self, old: Object | None, new: Object | None) -> None:
        self.changed_at = time.monotonic()
        for listener in self._listeners:
            listener(old, new)

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def wait_for(self, condition: Callable[[], bool]) -> None:
        """Return once ``condition``, which looks at the objects, holds."""
        async with self._changed:
            await self._changed.wait_for(condition)

    async def await_versions(self, wanted: Sequence[tuple[Key, str]]) -> None:
        """Return once exactly these objects are there, in these versions or later ones, and no others."""

        def is_there() -> bool:
            return {*self.objects} == {key for key, _ in wanted} and all(
                int(version_of(self.objects[key])) >= int(version) for key, version in wanted
            )

        await self.wait_for(is_there)


def key_of(one: Object) -> Key:
    """The key of an object."""
    return one["metadata"].get("namespace", ""), one["metadata"]["name"]


def version_of(one: Object) -> str:
    """The resource version of an object."""
    return str(one["metadata"].get("resourceVersion", "0"))
