"""Keys of an etcd, by its JSON gateway."""

from __future__ import annotations

import base64
import http.client
import json
import socket
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from pytest_netbench.errors import LabError

_ANSWER_S: Final = 8.0
_AT_ONCE: Final = 1000
"""Operations of one transaction; the server's limit is above."""
_UNWATCHED: Final = b"/registry/events/"
_MARK: Final = b"/netbench"


class Seen(NamedTuple):
    """A key as it is.

    Attributes:
        revision: Of the store, when the key was changed by last.
        version: How often the key was put since it was made.
    """

    revision: int
    version: int


class Etcd:
    """A client on one connection; for one thread at a time.

    Args:
        connection: A connected socket.
    """

    def __init__(self, connection: socket.socket) -> None:
        connection.settimeout(_ANSWER_S)
        self._http = http.client.HTTPConnection("etcd")
        self._http.sock = connection

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def look(self, prefix: bytes) -> dict[bytes, Seen]:
        """Return all keys below ``prefix``, without their values.

        Raises:
            LabError: The server does not answer.
        """
        found = self._ask("range", {**_range(prefix), "keys_only": True})
        return {
            base64.b64decode(one["key"]): Seen(int(one["mod_revision"]), int(one["version"]))
            for one in found.get("kvs", ())
        }

    def values(self, prefix: bytes) -> dict[bytes, bytes]:
        """Return all keys below ``prefix`` with their values.

        Raises:
            LabError: The server does not answer.
        """
        found = self._ask("range", _range(prefix))
        return {base64.b64decode(one["key"]): base64.b64decode(one.get("value", "")) for one in found.get("kvs", ())}

    def change(self, *, put: Mapping[bytes, bytes], delete: Iterable[bytes]) -> dict[bytes, int]:
        """Put and delete keys; returns the revisions of what was put.

        Of each resource one object changes with each revision: a watch that is closed goes on after the last revision
        of which it has told an event, and would leave out all others of that revision.

        Raises:
            LabError: The server does not answer, or has no room.
        """
        operations: dict[bytes, Any] = {key: {"request_delete_range": {"key": _text(key)}} for key in delete}
        for key, value in put.items():
            operations[key] = {"request_put": {"key": _text(key), "value": _text(value)}}
        revisions: dict[bytes, int] = {}
        for batch in _apart(operations):
            answer = self._ask("txn", {"success": [operations[key] for key in batch]})
            revisions |= {key: int(answer["header"]["revision"]) for key in batch if key in put}
        return revisions

    def remove(self, prefixes: Iterable[bytes], *, kept: Collection[bytes] = ()) -> None:
        """Delete all keys below prefixes but those that are kept.

        Raises:
            LabError: The server does not answer.
        """
        self.change(put={}, delete=[key for one in prefixes for key in self.look(one) if key not in kept])

    def forget_history(self) -> None:
        """Forget all former values of all keys, whose room is used again.

        Raises:
            LabError: The server does not answer, or has no room: then it takes no values any more.
        """
        answer = self._ask("put", {"key": _text(_MARK), "value": ""})
        self._ask("compaction", {"revision": answer["header"]["revision"]})

    def _ask(self, what: str, request: Mapping[str, Any]) -> Any:
        try:
            self._http.request("POST", f"/v3/kv/{what}", json.dumps(request))
            answer = self._http.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise LabError(f"etcd does not answer: {error!r}") from error
        if answer.status != http.client.OK:
            raise LabError(f"etcd refused {what}: {text[:500].decode('utf-8', 'replace')}")
        return json.loads(text)


def _apart(keys: Iterable[bytes]) -> Iterator[Sequence[bytes]]:
    """Batches of keys, each of which has one of each resource, and as many as it holds of what nobody watches."""
    watched: dict[bytes, list[bytes]] = {}
    unwatched: list[bytes] = []
    for key in keys:
        if key.startswith(_UNWATCHED):
            unwatched.append(key)
        else:
            watched.setdefault(b"/".join(key.split(b"/")[:3]), []).append(key)
    for first in range(0, len(unwatched), _AT_ONCE):
        yield unwatched[first : first + _AT_ONCE]
    for row in zip_longest(*watched.values()):
        yield [key for key in row if key is not None]


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _range(prefix: bytes) -> dict[str, Any]:
    """Return what asks for all keys that begin with ``prefix``."""
    return {"key": _text(prefix), "range_end": _text(prefix[:-1] + bytes([prefix[-1] + 1]))}
