"""What agents do by the API of which something may follow after its answer: a new pod, a process that was ended in one.

Of a policy nothing follows: its answer is held until the machines act on it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_POLICIES: Final = re.compile(r"/apis/networking\.k8s\.io/v1/namespaces/[^/]+/networkpolicies(/[^/]+)?")


def changes_policies(path: str) -> bool:
    """Return whether requests of a path can change NetworkPolicies only."""
    return _POLICIES.fullmatch(path) is not None


class Deeds:
    """Notes requests. They are made in the cluster's event loop; any thread may ask for what was noted."""

    def __init__(self) -> None:
        self.under_way = 0
        """Requests that change something and are not answered yet."""
        self.ended_at = time.monotonic()
        """When the last one ended of which something may follow, in seconds of the monotonic clock."""

    @contextmanager
    def deed(self, path: str) -> Iterator[None]:
        """Around one request."""
        self.under_way += 1
        try:
            yield
        finally:
            if not changes_policies(path):
                self.ended_at = time.monotonic()
            self.under_way -= 1
