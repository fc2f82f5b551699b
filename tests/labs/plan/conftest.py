"""The sandbox of family ``plan``, once for all tests of the folder: programs leave nothing to each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_netbench import parts
from pytest_netbench.datacenter_graph.building import Sizes, built
from pytest_netbench.families.plan.execution import PACKAGES, Runner


@pytest.fixture(scope="package")
def runner() -> Iterator[Runner]:
    """Runs code on a small graph; skips with the remedy if this machine cannot."""
    sandboxes = parts.load("sandboxes", "netns")()
    lack = sandboxes.lacks()
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    made = Runner(
        sandboxes.open(packages=PACKAGES),
        built(Sizes(super_blocks=1, agg_blocks=1, spine_blocks=1, switches=2, ports=2)),
    )
    yield made
    made.close()
