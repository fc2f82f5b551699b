"""Drivers are loaded by name, so that no type checker compares them with their protocol."""

from __future__ import annotations

import inspect

import pytest

from pytest_netbench import parts
from pytest_netbench.platforms.driver import Driver

METHODS = [name for name, one in vars(Driver).items() if inspect.isfunction(one) and not name.startswith("_")]


def parameters(owner: type, method: str) -> list[tuple[str, inspect._ParameterKind, bool]]:
    found = inspect.signature(getattr(owner, method)).parameters.values()
    return [(one.name, one.kind, one.default is one.empty) for one in found]


def test_the_protocol_has_methods():
    assert {"boot", "pending", "apply", "routes"} <= set(METHODS)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", sorted(parts.names("drivers")))
def test_a_driver_has_the_parameters_of_the_protocol(name: str, method: str) -> None:
    assert parameters(parts.load("drivers", name), method) == parameters(Driver, method)
