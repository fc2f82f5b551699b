"""Writes events of the pods of a machine in the background: nothing waits for them, and nobody floods the API."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Collection
from http import HTTPStatus
from typing import Final

from pytest_netbench.backends.kube.machine.happenings import Happening
from pytest_netbench.errors import LabError
from pytest_netbench.lab.kubernetes.client import EVENT, MERGE_PATCH, Api, Object, Refused

MOST_OF_A_POD: Final = 25
MOST: Final = 400
"""Kept of a machine; the oldest ones are forgotten."""
EVERY_S: Final = 10.0
"""What happens again is counted in its event so often."""
_RETRY_S: Final = 1.0
_FORGET_S: Final = 1.0
_MANAGER: Final = {"fieldManager": "kubelet"}
_Same = tuple[str, str, str, str | None]


class Recorder:
    """Keeps what happened until it is written. All runs in the cluster's event loop.

    Args:
        machine: Its name.
        api: How it reaches the API.
    """

    def __init__(self, machine: str, api: Api) -> None:
        self._machine = machine
        self._api = api
        self._found: dict[_Same, Happening] = {}
        self._of_pods: Counter[str] = Counter()
        self._muted: set[str] = set()
        self._changed = asyncio.Event()
        self._may_write = asyncio.Event()
        self._writing = asyncio.Lock()

    def note(
        self, pod: Object, reason: str, message: str, *, container: str | None = None, is_warning: bool = False
    ) -> None:
        """Take note of something that happened to a pod. What is the same is one event, with a count."""
        uid = pod["metadata"]["uid"]
        if uid in self._muted:
            return
        same = uid, reason, message, container
        if same not in self._found:
            if self._of_pods[uid] >= MOST_OF_A_POD:
                return
            self._of_pods[uid] += 1
            self._found[same] = Happening(pod, reason, message, container, is_warning)
            while len(self._found) > MOST:
                self._found.pop(next(iter(self._found)))
        self._found[same].again()
        self._changed.set()

    def hold(self) -> None:
        """Write nothing until ``release``: something else is waited for."""
        self._may_write.clear()

    def release(self) -> None:
        """Write."""
        self._may_write.set()

    async def forget(self, pods: Collection[str]) -> None:
        """Take no more note of pods, by their uids; return once nothing of them is being written."""
        self._muted.update(pods)
        self._found = {same: one for same, one in self._found.items() if one.uid not in self._muted}
        with contextlib.suppress(TimeoutError):  # the machine does not reach the API: it writes no more of them
            async with asyncio.timeout(_FORGET_S), self._writing:
                pass

    async def follow(self) -> None:
        """Write for ever."""
        while True:
            await self._may_write.wait()
            self._changed.clear()
            waiting = [one for one in self._found.values() if one.written < one.count]
            due = [one for one in waiting if one.due <= time.monotonic()]
            if due:
                await self._write(due[0])
                continue
            until = min((one.due for one in waiting), default=None)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if until is None else max(0.0, until - time.monotonic())):
                    await self._changed.wait()

    async def _write(self, one: Happening) -> None:
        written, count = one.written, one.count
        async with self._writing:
            try:
                await self._send(one, is_new=not written)
            except Refused as error:
                if error.code >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    one.due = time.monotonic() + _RETRY_S
                    return
                # its namespace or the event is gone: it is written no more
            except LabError:
                one.due = time.monotonic() + _RETRY_S
                return
        one.written, one.due = count, time.monotonic() + EVERY_S

    async def _send(self, one: Happening, *, is_new: bool) -> None:
        namespace = one.pod["metadata"]["namespace"]
        if is_new:
            await self._api.request("POST", EVENT.path(namespace), body=one.event(self._machine), params=_MANAGER)
        else:
            path = EVENT.path(namespace, one.name)
            await self._api.request("PATCH", path, body=one.counted, params=_MANAGER, content_type=MERGE_PATCH)
