"""Whether something in a cluster may still change by itself."""

from __future__ import annotations

import time
from typing import Final

from pytest_netbench.backends.kube.gateway.deeds import Deeds
from pytest_netbench.backends.kube.view import View
from pytest_netbench.lab.kubernetes.client import ENDPOINT_SLICE, POD, SERVICE
from pytest_netbench.lab.kubernetes.workloads import is_ready

QUIET_S: Final = 5.0
"""Wall seconds in which controllers and machines act on what has changed: as long as flows may take to recover."""
_FOLLOWED_BY_MORE: Final = (POD, SERVICE, ENDPOINT_SLICE)


def is_at_rest(view: View, deeds: Deeds) -> bool:
    """Return whether all pods are ready, and nothing changed but policies for so long that nothing follows.

    For any thread. Machines act on a change of policies before it is answered.

    Args:
        view: What the API has.
        deeds: What agents have asked for.
    """
    if deeds.under_way or not all(map(is_ready, view.objects(POD))):
        return False
    moments = [deeds.ended_at, *(view.stores[kind].changed_at for kind in _FOLLOWED_BY_MORE)]
    return time.monotonic() - max(moments) > QUIET_S
