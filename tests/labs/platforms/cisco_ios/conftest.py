"""Labs of IOS devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_netbench import parts
from tests.support.ios import settle, type_lines


@pytest.fixture(scope="module")
def platform() -> Any:
    """The ANI's access to IOS devices."""
    return parts.load("drivers", "cisco_ios")()


@pytest.fixture
def say(lab: Any) -> Callable[..., None]:
    """Type lines at a router of the module's lab and wait until routes settle.

    No line may be refused, and FRR must accept the resulting configuration.
    """

    def typed(name: str, *lines: str) -> None:
        type_lines(lab.nodes[name], *lines)
        settle(lab)

    return typed
