"""Which backend serves which kind of resource."""

from __future__ import annotations

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.lab.resources import backend_of, by_kind, kinds
from tests.support.memory_backend import MemoryBackend

pytestmark = pytest.mark.usefixtures("memory_parts")


@pytest.mark.parametrize(
    ("chosen", "lab", "sandbox"),
    [
        ((), "netns", "netns"),
        ("netns", "netns", "netns"),
        ("memory", "memory", "netns"),
        ("small", "netns", "small"),
        (("small", "memory"), "memory", "small"),
        (("netns", "netns"), "netns", "netns"),
        (MemoryBackend(), "memory", "netns"),
    ],
)
def test_a_name_is_chosen_for_what_it_serves_and_netns_for_the_rest(chosen, lab, sandbox):
    assert by_kind(chosen) == {"lab": lab, "sandbox": sandbox, "cluster": "kube"}
    assert (backend_of("lab", chosen).name, backend_of("sandbox", chosen).name) == (lab, sandbox)


def test_a_name_says_which_kinds_it_serves():
    assert (kinds("netns"), kinds("memory"), kinds("small")) == (("lab", "sandbox"), ("lab",), ("sandbox",))


@pytest.mark.parametrize(
    ("names", "kind"), [(("memory", "netns"), "lab"), (("small", "netns"), "sandbox"), (("netns", "small"), "sandbox")]
)
def test_two_names_of_one_kind_are_refused(names, kind):
    with pytest.raises(UsageError) as caught:
        by_kind(names)
    first, second = names
    assert str(caught.value) == (
        f"the backends '{first}' and '{second}' both serve resources of the kind '{kind}': give one backend for each"
        " kind (lab, sandbox, cluster). A kind without one has 'netns'"
    )


def test_an_unknown_name_is_told_with_those_of_all_kinds():
    with pytest.raises(UsageError) as caught:
        by_kind(("smal", "memory"))
    assert str(caught.value) == (
        "unknown backend 'smal' (known: containerlab, gns3, kube, kubeconfig, memory, netns, small, testbed)."
        " Did you mean 'small'?"
    )
