"""Nodes and their drivers."""

import pytest

from pytest_netbench.lab.devices import Devices, UnknownDevice
from tests.support.memory_lab import MemoryDriver, chain


def test_names_come_in_topology_order():
    assert Devices(chain()).names == ("branch", "edge", "web")


def test_the_lab_gives_each_node_its_driver():
    driver = MemoryDriver()
    assert Devices(chain(driver=driver)).driver("web") is driver


def test_the_driver_of_an_unknown_device_is_refused_in_plain_words():
    with pytest.raises(UnknownDevice, match="unknown device 'wed'"):
        Devices(chain()).driver("wed")


def test_dialects_are_named_once_in_topology_order():
    assert Devices(chain()).dialects == ("memory",)


def test_an_unknown_device_says_so_in_plain_words():
    with pytest.raises(UnknownDevice) as caught:
        Devices(chain()).node("wed")
    assert str(caught.value) == "unknown device 'wed' (known: 'branch', 'edge', 'web'). Did you mean 'web'?"
