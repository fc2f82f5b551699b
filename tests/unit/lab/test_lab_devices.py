"""Nodes and their platforms."""

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.lab.devices import Devices, UnknownDevice
from tests.support.memory_lab import PLATFORMS, chain


def test_names_come_in_topology_order():
    assert Devices(chain()).names == ("branch", "edge", "web")


def test_a_platform_that_is_not_given_is_looked_up_by_entry_point():
    with pytest.raises(UsageError, match="unknown platform 'memory'"):
        Devices(chain()).platform("web")
    assert Devices(chain(), platforms=PLATFORMS).platform("web") is PLATFORMS["memory"]


def test_an_unknown_device_says_so_in_plain_words():
    with pytest.raises(UnknownDevice) as caught:
        Devices(chain()).node("wed")
    assert str(caught.value) == "unknown device 'wed' (known: 'branch', 'edge', 'web'). Did you mean 'web'?"
