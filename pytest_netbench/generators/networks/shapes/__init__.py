"""The shapes of networks, by name."""

from __future__ import annotations

from typing import Any, Final

from pytest_netbench.generators.networks.shapes.base import Shape, Sizes
from pytest_netbench.generators.networks.shapes.star import STAR

SHAPES: Final[dict[str, Shape[Any]]] = {shape.name: shape for shape in (STAR,)}

__all__ = ["SHAPES", "Shape", "Sizes"]
