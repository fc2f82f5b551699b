"""What a task says of its graph: sizes and a seed, or a file and its digest."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from pytest_netbench.datacenter_graph import building, malt
from pytest_netbench.datacenter_graph.building import Sizes
from pytest_netbench.datacenter_graph.graph import Graph
from pytest_netbench.model.base import Model


class MaltFile(Model):
    """A MALT model in a file that is not part of the task."""

    path: str = Field(description="where the file is; relative to the current directory")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="its SHA-256, so that the graph is the same everywhere")


class GraphSpecification(Model):
    """The graph of a task. It is built or read when it is needed."""

    sizes: Sizes = Field(Sizes(), description="what is built, unless `malt` is given")
    malt: MaltFile | None = Field(None, description="a MALT model to read instead")

    def graph(self) -> Graph:
        """Return the graph. It is shared: copy it before you change it.

        Raises:
            InputError: The file cannot be used.
        """
        if self.malt is not None:
            return malt.read(Path(self.malt.path), self.malt.sha256)
        return building.built(self.sizes)
