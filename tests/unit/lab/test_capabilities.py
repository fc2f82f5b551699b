"""What backends, nodes and labs offer by name, and the sentence for a lack."""

from __future__ import annotations

import pytest

from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.capabilities import CAPABILITIES, LINKS, PROBES, unmet
from pytest_netbench.lab.request import request_of
from pytest_netbench.platforms.capabilities import FRR_SOCKETS
from tests.support.memory_backend import MemoryBackend
from tests.support.memory_lab import chain
from tests.support.memory_trial import task_of


def test_a_node_that_does_not_offer_a_capability_says_which():
    with pytest.raises(RequirementMissing) as caught:
        chain().nodes["web"].capability(FRR_SOCKETS)
    assert str(caught.value) == "node web has no 'frr-sockets' (commands to FRR's daemons over their own sockets)"


def test_a_lab_gives_the_object_of_a_capability_it_offers_and_refuses_others():
    lab = chain()
    assert lab.capability(PROBES) is lab.prober
    with pytest.raises(RequirementMissing, match="this lab has no 'links'"):
        lab.capability(LINKS)


def test_a_task_may_require_a_capability_and_the_backend_names_the_lack():
    backend = MemoryBackend()
    assert backend.lacks(request_of(task_of(requirements=["probes"]))) is None
    assert backend.lacks(request_of(task_of(requirements=["probes", "links"]))) == (
        "backend memory has no 'links' (cables that can be cut, restored and shaped)",
        None,
    )


def test_requirements_that_are_no_capabilities_are_left_to_others():
    assert unmet(["netem", "frr>=10"], (), owner="backend x") is None


def test_capabilities_are_known_by_their_own_names():
    assert all(name == kind.name for name, kind in CAPABILITIES.items())
