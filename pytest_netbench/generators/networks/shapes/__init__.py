"""The shapes of networks, by name."""

from __future__ import annotations

from typing import Any, Final

from pytest_netbench.generators.networks.shapes.base import Shape, Sizes
from pytest_netbench.generators.networks.shapes.campus import CAMPUS
from pytest_netbench.generators.networks.shapes.data_centre import CLOS, LEAF_SPINE
from pytest_netbench.generators.networks.shapes.dual_homed_isp import DUAL_HOMED_ISP
from pytest_netbench.generators.networks.shapes.isp import ISP
from pytest_netbench.generators.networks.shapes.line import LINE, RING
from pytest_netbench.generators.networks.shapes.mesh import MESH
from pytest_netbench.generators.networks.shapes.p4 import P4_LEAF_SPINE
from pytest_netbench.generators.networks.shapes.sdn import SDN_LEAF_SPINE
from pytest_netbench.generators.networks.shapes.star import STAR
from pytest_netbench.generators.networks.shapes.tree import TREE

SHAPES: Final[dict[str, Shape[Any]]] = {
    shape.name: shape
    for shape in (
        STAR,
        LINE,
        RING,
        TREE,
        MESH,
        LEAF_SPINE,
        CLOS,
        CAMPUS,
        DUAL_HOMED_ISP,
        ISP,
        SDN_LEAF_SPINE,
        P4_LEAF_SPINE,
    )
}

__all__ = ["SHAPES", "Shape", "Sizes"]
