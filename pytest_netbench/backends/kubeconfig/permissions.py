"""What the cluster must have, and its user be allowed to do; asked before anything is made."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Final, NamedTuple

from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.kubernetes.client import SERVICE, Api, Object, Refused

_REVIEW: Final = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
DNS: Final = ("kube-system", "kube-dns")
"""The namespace and the name of the Service that resolves names."""
_RBAC: Final = "rbac.authorization.k8s.io"


class Right(NamedTuple):
    """Something to do with a resource in all namespaces."""

    verb: str
    resource: str
    group: str = ""
    subresource: str = ""
    name: str = ""

    def __str__(self) -> str:
        resource = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        group = f" of {self.group}" if self.group else ""
        return f"{self.verb} {resource}{group}" + (f" {self.name!r}" if self.name else "")


RIGHTS: Final = (
    *(Right(verb, "namespaces") for verb in ("create", "delete", "get", "list", "patch")),
    *(Right(verb, "pods") for verb in ("get", "list")),
    Right("create", "pods", subresource="exec"),
    Right("get", "pods", subresource="log"),
    *(Right(verb, "services") for verb in ("create", "get", "list", "deletecollection")),
    *(Right(verb, "configmaps") for verb in ("create", "list")),
    *(Right(verb, "deployments", "apps") for verb in ("create", "list", "deletecollection")),
    *(
        Right(verb, "networkpolicies", "networking.k8s.io")
        for verb in ("create", "delete", "deletecollection", "get", "list")
    ),
    Right("list", "endpointslices", "discovery.k8s.io"),
    Right("create", "serviceaccounts"),
    Right("create", "serviceaccounts", subresource="token"),
    *(Right(verb, "rolebindings", _RBAC) for verb in ("create", "delete")),
    Right("create", "subjectaccessreviews", "authorization.k8s.io"),
    *(
        Right(verb, resource, _RBAC)
        for resource in ("clusterroles", "clusterrolebindings")
        for verb in ("create", "delete", "list")
    ),
    *(Right("bind", "clusterroles", _RBAC, name=role) for role in ("edit", "view")),
)
"""All that the backend does."""


async def lacking(api: Api) -> list[Right]:
    """The rights of ``RIGHTS`` that the user does not have.

    Raises:
        LabError: The API does not answer.
    """
    allowed = await asyncio.gather(*(_has(api, one) for one in RIGHTS))
    return [one for one, is_allowed in zip(RIGHTS, allowed, strict=True) if not is_allowed]


async def check(api: Api, context: str) -> None:
    """Raise unless the user has all rights.

    Raises:
        RequirementMissing: One is missing; names all that are.
        LabError: The API does not answer.
    """
    if missing := await lacking(api):
        raise RequirementMissing(
            f"the user of context {context} may not: {', '.join(map(str, missing))}",
            "give it the ClusterRole cluster-admin on a cluster for tests",
        )


async def check_names(api: Api, context: str) -> None:
    """Raise unless the cluster has the Service to which flows of tasks go for names.

    Raises:
        RequirementMissing: It has not.
        LabError: The API does not answer.
    """
    try:
        await api.read(SERVICE, *DNS)
    except Refused as error:
        if error.code != HTTPStatus.NOT_FOUND:
            raise
        raise RequirementMissing(
            f"the cluster of context {context} has no Service {'/'.join(DNS)}, by which tasks resolve names",
            "use a cluster whose DNS has this name",
        ) from None


async def _has(api: Api, right: Right) -> bool:
    attributes = {"verb": right.verb, "resource": right.resource, "group": right.group}
    attributes |= {"subresource": right.subresource, "name": right.name}
    review: Object = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    answer = await api.request("POST", _REVIEW, body=review)
    return bool((answer.get("status") or {}).get("allowed"))
