"""All objects of a fresh cluster, and the way back to them.

The way back is by etcd's keys: what a fresh cluster has not is deleted, what differs is put back byte for byte. The API
server and the controllers see that as watch events. Nothing waits for finalizers, grace periods or quotas.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

from pytest_netbench.backends.kube.api import Api
from pytest_netbench.backends.kube.etcd import Etcd, Seen
from pytest_netbench.errors import LabError

ALL: Final = b"/registry/"
RENEWED: Final = (b"/registry/masterleases/", b"/registry/peerserverleases/", b"/registry/leases/kube-system/")
"""Keys that the API server renews while it runs. They are left as they are; of leases those of a fresh cluster."""
_NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")
_AWAITED: Final = (
    *(f"/registry/configmaps/{name}/kube-root-ca.crt".encode() for name in _NAMESPACES),
    *(f"/registry/serviceaccounts/{name}/default".encode() for name in _NAMESPACES),
    b"/registry/endpointslices/default/kubernetes",
    b"/registry/ipaddresses/10.96.0.1",
    b"/registry/priorityclasses/system-node-critical",
    b"/registry/services/endpoints/default/kubernetes",
    b"/registry/services/specs/default/kubernetes",
)
_AGGREGATED: Final = tuple(f"/registry/clusterroles/{name}".encode() for name in ("admin", "edit", "view"))
_NODES: Final = b"/registry/minions/"
# In a namespace that is gone controllers can make no more objects, and they make none for a service that is gone.
_SEEN_AS_GONE: Final = {
    b"/registry/namespaces/": "/api/v1/namespaces",
    b"/registry/services/specs/": "/api/v1/services",
}
# What controllers would make objects of, were it still there when those are deleted.
_FIRST: Final = tuple(
    f"/registry/{kind}/".encode()
    for kind in (
        "namespaces",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "mutatingwebhookconfigurations",
        "validatingwebhookconfigurations",
        "cronjobs",
        "daemonsets",
        "deployments",
        "jobs",
        "services/specs",
        "statefulsets",
    )
)
_DISCOVERY: Final = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_LOOK_S: Final = 0.02
_QUIET_S: Final = 0.06
# the node controller looks for nodes every 0.1 s, and makes an event of each that is gone
_NODES_QUIET_S: Final = 0.25
_FRESH_QUIET_S: Final = 0.2
_LATE: Final = 5


class Snapshot:
    """The keys of a fresh cluster.

    Args:
        values: All keys but those that the API server renews.
        seen: All keys.
        groups: What the API server says of its groups of resources.
    """

    def __init__(self, values: dict[bytes, bytes], seen: Mapping[bytes, Seen], groups: Any) -> None:
        self._values = values
        self._revisions = {key: seen[key].revision for key in values}
        self._renewed = frozenset(seen) - frozenset(values)
        self._groups = groups

    @classmethod
    def take(cls, etcd: Etcd, api: Api, *, within_s: float) -> Snapshot:
        """Wait until the controllers have made what every cluster has, and keep all of it.

        Raises:
            LabError: They do not make it in time.
        """
        until = time.monotonic() + within_s
        last: dict[bytes, Seen] = {}
        since = time.monotonic()
        while True:
            seen = etcd.look(ALL)
            lasting = {key: one for key, one in seen.items() if not key.startswith(RENEWED)}
            if lasting != last:
                last, since = lasting, time.monotonic()
            missing = _missing(lasting)
            if not missing and time.monotonic() - since >= _FRESH_QUIET_S:
                values = etcd.values(ALL)
                return cls({key: values[key] for key in lasting}, seen, _groups(api))
            if time.monotonic() > until:
                raise LabError(f"the controllers of the cluster did not make {', '.join(missing) or 'an end'}")
            time.sleep(_LOOK_S)

    def restore(self, etcd: Etcd, api: Api, *, within_s: float) -> None:
        """Bring the cluster back; returns when it equals the snapshot, and has done so for a moment.

        Raises:
            LabError: It does not become equal in time, and is of no use any more.
        """
        until = time.monotonic() + within_s
        equal_since: float | None = None
        quiet_s = 0.0
        while True:
            seen = etcd.look(ALL)
            foreign = [key for key in seen if not self._is_known(key)]
            changed = [key for key, revision in self._revisions.items() if key not in seen or seen[key][0] != revision]
            if foreign or changed:
                equal_since = None
                quiet_s = max(quiet_s, _NODES_QUIET_S if any(key.startswith(_NODES) for key in foreign) else _QUIET_S)
                self._put_back(etcd, api, foreign, changed, until)
            elif equal_since is None:
                asked = time.monotonic()
                if _groups(api) == self._groups:
                    equal_since = time.monotonic()
                    # where the API server answers late, what controllers have asked for is late, too
                    quiet_s = max(quiet_s, _LATE * (equal_since - asked)) if quiet_s else 0.0
            if equal_since is not None and time.monotonic() - equal_since >= quiet_s:
                etcd.forget_history()
                return
            if time.monotonic() > until:
                wrong = [key.decode() for key in (*foreign, *changed)] or ["the groups of resources"]
                raise LabError(f"the cluster could not be reset: {', '.join(wrong[:10])}")
            time.sleep(_LOOK_S)

    def _is_known(self, key: bytes) -> bool:
        return key in self._revisions or key in self._renewed or key.startswith(RENEWED[:2])

    def _put_back(self, etcd: Etcd, api: Api, foreign: list[bytes], changed: list[bytes], until: float) -> None:
        first = [key for key in foreign if key.startswith(_FIRST)]
        self._revisions |= etcd.change(put={key: self._values[key] for key in changed}, delete=first)
        for prefix, path in _SEEN_AS_GONE.items():
            gone = {key.removeprefix(prefix).decode() for key in first if key.startswith(prefix)}
            while gone and gone & _cached(api, path) and time.monotonic() < until:
                time.sleep(_LOOK_S / 4)
        etcd.change(put={}, delete=[key for key in foreign if not key.startswith(_FIRST)])


def _missing(seen: Mapping[bytes, Seen]) -> list[str]:
    """Return what the controllers still have to make."""
    absent = [key for key in _AWAITED if key not in seen]
    # they are made without rules, which a controller collects
    empty = [key for key in _AGGREGATED if key not in seen or seen[key].version < 2]
    return [key.decode() for key in (*absent, *empty)]


def _groups(api: Api) -> Any:
    return [api.json(path, accept=_DISCOVERY)["items"] for path in ("/api", "/apis")]


def _cached(api: Api, path: str) -> set[str]:
    """Return what is in a cache of the API server, which it decides by, and from which it tells controllers."""
    found = [one["metadata"] for one in api.json(f"{path}?resourceVersion=0")["items"]]
    return {"/".join(filter(None, (one.get("namespace"), one["name"]))) for one in found}
