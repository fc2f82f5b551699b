"""The file with which ``kubectl`` logs in. Pure."""

from __future__ import annotations

import json
from typing import Any, Final

_CONTEXT: Final = "cluster"


def kubeconfig(cluster: dict[str, Any], *, user: str, token: str) -> str:
    """Return the file with which a user logs in: JSON, which is YAML too.

    Args:
        cluster: Where the API server is, and how it is known, in the fields of the file.
        user: The user's name.
        token: What shows who it is.
    """
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": _CONTEXT, "cluster": cluster}],
            "users": [{"name": user, "user": {"token": token}}],
            "contexts": [{"name": _CONTEXT, "context": {"cluster": _CONTEXT, "user": user}}],
            "current-context": _CONTEXT,
        },
        indent=2,
    )
