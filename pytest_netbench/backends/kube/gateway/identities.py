"""Who asks: users by the token of their requests."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from pytest_netbench.lab.kubernetes.client import Object


@dataclass(frozen=True)
class User:
    """A user of the API.

    Attributes:
        name: As RBAC knows it.
        groups: Those that it is in.
        is_agent: Whether its changes are those of an agent.
    """

    name: str
    groups: tuple[str, ...] = ()
    is_agent: bool = False
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)


CHANGER: Final = "engineer"
READER: Final = "engineer-reading"


def machine_user(name: str) -> User:
    """The user that a machine is."""
    return User(f"system:node:{name}", ("system:nodes",))


def agents() -> tuple[User, User]:
    """Who an agent is while it changes something, and while it reads."""
    return User(CHANGER, is_agent=True), User(READER, is_agent=True)


_READING: Final = ("get", "list", "watch")


def machine_roles(machines: Iterable[str]) -> list[Object]:
    """What machines may do."""
    return [_binding("machines", "cluster-admin", [_user(machine_user(name).name) for name in machines])]


def roles(namespaces: Iterable[str]) -> list[Object]:
    """What agents may do: read almost all, and change what ``admin`` may in namespaces of the application."""
    subjects = [_user(CHANGER), _user(READER)]
    return [
        {
            **_head("ClusterRole", "engineer-reading"),
            "rules": [
                {"apiGroups": [""], "resources": ["nodes", "namespaces"], "verbs": [*_READING]},
                {"apiGroups": [""], "resources": ["pods/exec", "pods/attach"], "verbs": ["create", "get"]},
            ],
        },
        _binding("engineer-view", "view", subjects),
        _binding("engineer-reading", "engineer-reading", subjects),
        *(_binding("engineer", "admin", [_user(CHANGER)], namespace=one) for one in namespaces),
    ]


def _head(kind: str, name: str, namespace: str | None = None) -> Object:
    metadata = {"name": name} | ({} if namespace is None else {"namespace": namespace})
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": metadata}


def _user(name: str) -> Object:
    return {"kind": "User", "name": name, "apiGroup": "rbac.authorization.k8s.io"}


def _binding(name: str, role: str, subjects: list[Object], *, namespace: str | None = None) -> Object:
    return {
        **_head("ClusterRoleBinding" if namespace is None else "RoleBinding", name, namespace),
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
        "subjects": subjects,
    }
