"""The Ray cluster that a run uses: one that is there, or one that is started on this machine and ends with it."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

from pytest_netbench.errors import RequirementMissing, UsageError

LOCAL: Final = "local"
AUTO: Final = "auto"
_MB: Final = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node that is there: its id, its address, cores and megabytes that Ray gives out."""

    id: str
    address: str
    cores: int
    memory_mb: float

    @property
    def shown(self) -> str:
        """How messages name it."""
        return f"{self.address} ({self.id[:8]})"


def check_installed(option: str) -> None:
    """Refuse a machine without Ray; it is not imported.

    Raises:
        RequirementMissing: It is not installed.
    """
    if find_spec("ray") is None:
        raise RequirementMissing(f"{option}: ray is not installed", "pip install 'pytest-netbench[ray]'")


class Cluster:
    """A connection to a cluster.

    Args:
        ray: The module.
    """

    def __init__(self, ray: ModuleType) -> None:
        self.ray: Any = ray

    def nodes(self) -> dict[str, Node]:
        """The nodes that are there, by id."""
        found = [one for one in self.ray.nodes() if one["Alive"]]
        return {
            one["NodeID"]: Node(
                id=one["NodeID"],
                address=one["NodeManagerAddress"],
                cores=int(one["Resources"].get("CPU", 0)),
                memory_mb=one["Resources"].get("memory", 0) / _MB,
            )
            for one in found
        }

    def own_node(self) -> str:
        """Id of the node where this process is."""
        return str(self.ray.get_runtime_context().get_node_id())


@contextmanager
def connected(address: str, *, asked: str = "") -> Iterator[Cluster]:
    """Connect to the cluster at ``address``, or start one. A connection that this process has already stays.

    Args:
        address: ``local``; ``auto`` for the cluster that this machine belongs to; or the address of one, HOST:PORT.
        asked: How it was asked for; the option of pytest if it is not said.

    Raises:
        UsageError: There is none, or it runs other versions.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it reports to the internet otherwise
    import ray  # imported only if it is asked for

    if ray.is_initialized():
        yield Cluster(ray)
        return
    before = _handlers()
    own: dict[str, Any] = {}
    if address == LOCAL:
        own = {"include_dashboard": False}
        os.environ.setdefault("RAY_worker_niceness", "0")  # it is 15 else, and labs are measured
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **own)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise UsageError(f"{asked or f'--netbench-ray={address}'}: {_words(address, error)}") from error
    finally:
        _restore(before)
    try:
        yield Cluster(ray)
    finally:
        ray.shutdown()


def _words(address: str, error: Exception) -> str:
    first = str(error).strip().partition("\n")[0]
    if "ersion mismatch" in str(error):
        return (
            f"the versions of Ray or Python differ; install the same ones on all nodes: {' '.join(str(error).split())}"
        )
    if address == AUTO:
        return f"there is no cluster on this machine ({first}): start one with `ray start --head`, or give `local`"
    return f"cannot connect: {first}"


def _handlers() -> dict[int, Any]:
    """The handlers of signals, which Ray replaces."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    return {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}


def _restore(handlers: dict[int, Any]) -> None:
    with contextlib.suppress(TypeError):  # one that was not installed from Python
        for number, handler in handlers.items():
            signal.signal(number, handler)
