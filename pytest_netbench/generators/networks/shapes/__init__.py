"""The shapes of networks, by name: a value of ``Shape`` in a module of this package is one."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any, Final

from pytest_netbench.generators.networks.shapes.base import Shape, Sizes

_LISTED_FIRST: Final = (
    "star",
    "line",
    "ring",
    "tree",
    "mesh",
    "leaf-spine",
    "clos",
    "campus",
    "dual-homed-isp",
    "isp",
    "sdn-leaf-spine",
    "p4-leaf-spine",
)
"""In this order; later ones follow by name."""


def _found() -> dict[str, Shape[Any]]:
    modules = [importlib.import_module(f"{__name__}.{one.name}") for one in pkgutil.iter_modules(__path__)]
    values = [value for module in modules for value in vars(module).values() if isinstance(value, Shape)]
    found = {shape.name: shape for shape in values}
    return {name: found[name] for name in (*_LISTED_FIRST, *sorted(found.keys() - set(_LISTED_FIRST)))}


SHAPES: Final = _found()

__all__ = ["SHAPES", "Shape", "Sizes"]
