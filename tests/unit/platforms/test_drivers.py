"""Drivers are loaded by name, so that no type checker compares them with their protocol."""

from __future__ import annotations

import inspect

import pytest

from pytest_netbench import parts
from pytest_netbench.platforms.driver import Boot, Driver, RunsHere

BY_COMMAND_LINE = ("arista_eos", "cisco_ios_ssh", "juniper_junos", "vpcs")
OF_CLUSTERS = ("kubernetes",)
BOOTED = sorted({*parts.names("drivers")} - {*BY_COMMAND_LINE, *OF_CLUSTERS})
METHODS = [name for name, one in vars(Driver).items() if inspect.isfunction(one) and not name.startswith("_")]


def parameters(owner: type, method: str) -> list[tuple[str, inspect._ParameterKind, bool]]:
    found = inspect.signature(getattr(owner, method)).parameters.values()
    return [(one.name, one.kind, one.default is one.empty) for one in found]


def test_the_protocol_has_methods():
    assert {"version", "pending", "apply", "routes"} <= set(METHODS)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", sorted(parts.names("drivers")))
def test_a_driver_has_the_parameters_of_the_protocol(name: str, method: str) -> None:
    assert parameters(parts.load("drivers", name), method) == parameters(Driver, method)


@pytest.mark.parametrize("name", BOOTED)
def test_a_driver_whose_nodes_run_here_has_the_parameters_of_these_protocols(name: str) -> None:
    kind = parts.load("drivers", name)
    assert parameters(kind, "boot") == parameters(Boot, "boot")
    for method in ("installed_version", "kernel_interface"):
        assert parameters(kind, method) == parameters(RunsHere, method)


@pytest.mark.parametrize("name", BY_COMMAND_LINE)
def test_a_driver_of_devices_that_run_elsewhere_knows_no_kernel(name: str) -> None:
    assert not isinstance(parts.load("drivers", name)(), RunsHere)
