"""Who an agent is on a cluster: two service accounts of the lab, and what RBAC lets them do. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pytest_netbench.backends.kubeconfig.leases import LAB
from pytest_netbench.kubernetes.objects import Object

CHANGER: Final = "engineer"
READER: Final = "engineer-reading"
_GROUP: Final = "rbac.authorization.k8s.io"


def home(lab: str) -> str:
    """The namespace of the accounts."""
    return f"netbench-{lab}"


def accounts(lab: str) -> list[Object]:
    """The service accounts."""
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": home(lab)}}
        for name in (CHANGER, READER)
    ]


def roles(lab: str, namespaces: Iterable[str]) -> list[Object]:
    """What agents may always do: read in namespaces of the application, and run commands in pods there.

    Beside that they see which nodes and namespaces there are.
    """
    name, both = f"netbench-{lab}", [_subject(lab, CHANGER), _subject(lab, READER)]
    labels = {"labels": {LAB: lab}}
    overview = [{"apiGroups": [""], "resources": ["nodes", "namespaces"], "verbs": ["get", "list", "watch"]}]
    inside = [{"apiGroups": [""], "resources": ["pods/exec", "pods/attach"], "verbs": ["create", "get"]}]
    found: list[Object] = [
        _of("ClusterRole", {"name": name, **labels}, rules=overview),
        _of("ClusterRole", {"name": f"{name}-exec", **labels}, rules=inside),
        _of("ClusterRoleBinding", {"name": name, **labels}, roleRef=_role(name), subjects=both),
    ]
    for space in namespaces:
        for binding, role, subjects in (
            ("engineer-view", "view", both),
            ("engineer-exec", f"{name}-exec", both),
        ):
            metadata = {"name": binding, "namespace": space}
            found.append(_of("RoleBinding", metadata, roleRef=_role(role), subjects=subjects))
    return found


def changing(lab: str, namespaces: Iterable[str]) -> list[Object]:
    """What lets the first account change what ``edit`` may. It is there only while an agent may change something."""
    subjects = [_subject(lab, CHANGER)]
    return [
        _of("RoleBinding", {"name": CHANGER, "namespace": space}, roleRef=_role("edit"), subjects=subjects)
        for space in namespaces
    ]


def user(lab: str, name: str) -> str:
    """The name of an account as a user."""
    return f"system:serviceaccount:{home(lab)}:{name}"


def _of(kind: str, metadata: dict[str, Any], **fields: Any) -> Object:
    return {"apiVersion": f"{_GROUP}/v1", "kind": kind, "metadata": metadata, **fields}


def _role(name: str) -> Object:
    return {"apiGroup": _GROUP, "kind": "ClusterRole", "name": name}


def _subject(lab: str, name: str) -> Object:
    return {"kind": "ServiceAccount", "name": name, "namespace": home(lab)}
