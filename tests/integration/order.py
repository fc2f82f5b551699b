"""Which tests run one after the other, and in which order all are begun: those first that need little built."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from xdist.scheduler import LoadScopeScheduling

SHARING: Final = {
    "test_container": "docker",  # the kept layers are one engine's, and images are named
    "test_harbor_tasks": "docker",
    "test_gns3": "gns3",  # servers look for ports of consoles in one range
    "test_inspect": "inspect",
}
"""What begins so belongs to one group; every other module is a group of its own."""
ORDER: Final = (
    *("gns3", "test_ray", "inspect", "test_ansible", "test_scale", "test_harbor"),
    *("test_kube_clients", "test_kubeconfig", "test_kube_control_plane", "docker", "test_kube", "test_ray_manifest"),
)
"""Groups begin in this order, by the beginning of their names."""


def group_of(path: Path) -> str:
    """The group of a module."""
    return next((group for start, group in SHARING.items() if path.stem.startswith(start)), path.stem)


def arrange(items: list[pytest.Item], folder: Path) -> None:
    """Put the tests below ``folder`` in order, behind all others."""
    own = {item for item in items if item.path.is_relative_to(folder)}
    items.sort(key=lambda item: _place(item) if item in own else (-1, ""))


def _place(item: pytest.Item) -> tuple[int, str]:
    group = group_of(item.path)
    return next((number for number, start in enumerate(ORDER) if group.startswith(start)), len(ORDER)), group


class Groups(LoadScopeScheduling):
    """Gives a worker whole groups, in the order of the tests: ``loadgroup`` of xdist 3.8 has none with pytest 9.2."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(Path(nodeid.partition("::")[0]))
