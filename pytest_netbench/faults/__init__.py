"""The catalogue of faults: what each breaks, how it is injected, observed and repaired."""

from __future__ import annotations

import importlib
import pkgutil


def catalogue() -> dict[str, str]:
    """Return where each fault of this package is, ``module:attribute`` by name: any such value in a module is one.

    Raises:
        ValueError: Two values have the same name.
    """
    from pytest_netbench.faults.builders import FaultValue  # builders import this package

    places: dict[str, str] = {}
    values: dict[str, object] = {}
    for found in pkgutil.walk_packages(__path__, f"{__name__}."):
        for attribute, value in vars(importlib.import_module(found.name)).items():
            if not isinstance(value, FaultValue):
                continue
            if values.setdefault(value.name, value) is not value:
                raise ValueError(f"two faults are called {value.name}: {places[value.name]}, {found.name}:{attribute}")
            places.setdefault(value.name, f"{found.name}:{attribute}")
    return places
