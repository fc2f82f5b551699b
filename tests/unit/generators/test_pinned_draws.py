"""Draws are the same tasks on every machine and Python, and in every later version: published seeds stay valid."""

from __future__ import annotations

import pytest

from pytest_netbench import parts
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.task import digest_of

PINNED = {
    "diagnose": "fa6da160b0178e32",
    "diagnose-kubernetes": "89ff8539336f839a",
    "diagnose:level=1-3,size=3,healthy=0.5": "d686f45d252d64c4",
    "plan": "7f2f5d835dc2502a",
    "plan:labels=RM+U+R+C,super_blocks=2": "ac65b084bd9494a3",
    "repair-kubernetes": "455b8337a4f67a39",
    "repair-kubernetes:labels=RE+DNS+SEL+PEER+NS+LABEL+DENY+ALLOW,level=1-2": "da8ae4bebcbd43cf",
    "repair-network": "8abdadd8a7e4490e",
    "repair-network:level=3,size=3,hosts=2-3": "947999f4dc9b508a",
    "repair-routing": "48673e6bc572a20a",
    "repair-routing:level=4,policy=false,hosts=1-2,subnets=3-4": "e469d3c7d3c39a08",
    "troubleshoot": "522e300d9044df3c",
    "troubleshoot-kubernetes:services=6-9": "3ca9a2b5076a4a6c",
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
