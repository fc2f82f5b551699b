"""Draws are the same tasks on every machine and Python, and in every later version: published seeds stay valid."""

from __future__ import annotations

import pytest

from pytest_netbench import parts
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.task import digest_of

PINNED = {
    "plan": "4142ee645b5db8bb",
    "plan:labels=RM+U+R+C,super_blocks=2": "f0ace900837fcffb",
    "repair-routing": "ca59052e89d2ba67",
    "repair-routing:level=4,policy=false,hosts=1-2,subnets=3-4": "5d5f63f3051c9844",
}
"""By series: the digest of the digests of its first 50 tasks, for seed 11. A change makes results obsolete."""


@pytest.mark.parametrize("series", PINNED)
def test_draws_are_those_that_were_published(series):
    found = read_series(f"{series}{',' if ':' in series else ':'}n=50,seed=11")
    assert digest_of([source.load().digest for source in found.sources()]) == PINNED[series]


def test_every_generator_is_pinned():
    modules = {name: parts.load("generators", name).__module__ for name in parts.names("generators")}
    own = {name for name, module in modules.items() if module.startswith("pytest_netbench.")}
    assert own == {series.partition(":")[0] for series in PINNED}
