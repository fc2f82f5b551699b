"""When an agent may change something: while a role is bound to its account. The role goes with each turn."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Final

from pytest_netbench.backends.kubeconfig import accounts
from pytest_netbench.errors import LabError
from pytest_netbench.lab.kubernetes.client import Api, Object, identity

_REVIEW: Final = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
_RIGHTS_S: Final = 15.0
_POLL_S: Final = 0.05


async def let_change(api: Api, lab: str, spaces: Sequence[str], *, allowed: bool) -> None:
    """Let agents change something from now on, or no more; returns once that is in force.

    Args:
        api: The API.
        lab: The lab.
        spaces: The namespaces of its application.
        allowed: Whether they may.

    Raises:
        LabError: It is not in force in time.
    """
    bindings = accounts.changing(lab, spaces)
    await asyncio.gather(*(api.create(one) if allowed else api.delete(*identity(one)) for one in bindings))
    end = time.monotonic() + _RIGHTS_S
    while {*await asyncio.gather(*(_may_change(api, lab, space) for space in spaces))} != {allowed}:
        if time.monotonic() > end:
            raise LabError(f"the rights of agents have not changed in {_RIGHTS_S:g} s")
        await asyncio.sleep(_POLL_S)


async def _may_change(api: Api, lab: str, space: str) -> bool:
    attributes = {"namespace": space, "verb": "delete", "group": "networking.k8s.io", "resource": "networkpolicies"}
    review: Object = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": accounts.user(lab, accounts.CHANGER), "resourceAttributes": attributes},
    }
    answer = await api.request("POST", _REVIEW, body=review)
    return bool(answer["status"].get("allowed"))
