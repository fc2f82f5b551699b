"""The shapes of networks, by name."""

from __future__ import annotations

from typing import Any, Final

from pytest_netbench.generators.networks.shapes.base import Shape, Sizes
from pytest_netbench.generators.networks.shapes.campus import CAMPUS
from pytest_netbench.generators.networks.shapes.dual_homed import DUAL_HOMED
from pytest_netbench.generators.networks.shapes.leaf_spine import LEAF_SPINE
from pytest_netbench.generators.networks.shapes.line import LINE, RING
from pytest_netbench.generators.networks.shapes.mesh import MESH
from pytest_netbench.generators.networks.shapes.star import STAR
from pytest_netbench.generators.networks.shapes.tree import TREE

SHAPES: Final[dict[str, Shape[Any]]] = {
    shape.name: shape for shape in (STAR, LINE, RING, TREE, MESH, LEAF_SPINE, CAMPUS, DUAL_HOMED)
}

__all__ = ["SHAPES", "Shape", "Sizes"]
