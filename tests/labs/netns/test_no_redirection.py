"""Labs on a kernel that cannot redirect frames. The feature is taken away; the rest is real."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.backends.netns.machine import doctor, features
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.capabilities import LINKS, NODES
from pytest_netbench.lab.request import request_of
from tests.support.netns_networks import network

LACK = {
    "links": "backend netns has no 'links' (cables that can be cut, restored and shaped): the kernel has no act_mirred",
    "nodes": "backend netns has no 'nodes' (nodes that can be rebooted and can crash): the kernel has no act_mirred",
}


def requests(*requirements):
    return replace(
        request_of(network({"A": "linux", "B": "linux"}, ["A eth0 - B eth0"], {})), requirements=requirements
    )


@pytest.fixture
def without_mirred(monkeypatch):
    present = features.kernel_features()
    monkeypatch.setattr(doctor, "_features", lambda: present - {"act_mirred"})


def test_this_kernel_can_redirect_as_the_probe_says():
    assert set(features.REDIRECTION) <= features.probe()
    assert doctor.no_redirection() is None


@pytest.mark.parametrize("name", list(LACK))
def test_a_requirement_of_it_is_met_here(name):
    assert NetnsBackend().lacks(requests(name)) is None


@pytest.mark.usefixtures("without_mirred")
@pytest.mark.parametrize("name", list(LACK))
def test_a_requirement_of_it_names_the_lack(name):
    lack = NetnsBackend().lacks(requests("probes", name))
    assert lack is not None
    assert lack[0].startswith(LACK[name])


@pytest.mark.usefixtures("without_mirred")
def test_other_requirements_are_met_without_it():
    assert NetnsBackend().lacks(requests("probes", "counters")) is None


@pytest.mark.usefixtures("without_mirred")
def test_doctor_does_not_list_what_needs_redirection():
    (row,) = [check for check in NetnsBackend().report() if check.name == "capabilities"]
    offered = row.detail.split(", ")
    assert "probes" in offered
    assert not {"links", "nodes"} & set(offered)


@pytest.mark.usefixtures("without_mirred")
def test_a_lab_has_pairs_of_interfaces_and_does_not_offer_links():
    lab = NetnsBackend().deploy(requests())
    try:
        lab.nodes["A"].run(("ip", "address", "add", "10.0.0.1/24", "dev", "eth0"))
        lab.nodes["B"].run(("ip", "address", "add", "10.0.0.2/24", "dev", "eth0"))
        assert lab.nodes["A"].run(("ping", "-c1", "-W10", "10.0.0.2")).returncode == 0
        for kind in (LINKS, NODES):
            with pytest.raises(RequirementMissing, match=rf"has no '{kind.name}'"):
                lab.capability(kind)
    finally:
        lab.destroy()
