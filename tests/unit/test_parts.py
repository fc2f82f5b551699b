from __future__ import annotations

import importlib
import tomllib
from typing import get_args

import pytest

from pytest_netbench import parts
from pytest_netbench.errors import UsageError
from tests.support.doc_examples import ROOT
from tests.support.memory_parts import install


@pytest.mark.parametrize(
    ("group", "name", "message"),
    [
        ("families", "guess", f"unknown family 'guess' (known: {', '.join(parts.names('families'))})."),
        (
            "backends",
            "netn",
            "unknown backend 'netn' (known: containerlab, gns3, netns, testbed). Did you mean 'netns'?",
        ),
        (
            "dialects",
            "ciscoios",
            (
                "unknown dialect 'ciscoios' (known: arista_eos, cisco_ios, frr, juniper_junos, kubernetes,"
                " linux, openflow_controller, openvswitch, p4). Did you mean 'cisco_ios'?"
            ),
        ),
    ],
)
def test_an_unknown_part_is_told_with_the_known_ones_and_the_nearest(group, name, message):
    with pytest.raises(UsageError) as caught:
        parts.load(group, name)
    assert str(caught.value) == message


@pytest.mark.parametrize("group", ["dialects", "drivers", "backends", "families", "agents", "scorers"])
def test_every_built_in_part_loads(group):
    assert all(parts.load(group, name).__name__ for name in parts.names(group))


def test_a_group_without_parts_names_the_likely_reason():
    with pytest.raises(UsageError, match=r"(?s)no part of the group pytest_netbench.nothing is installed.*pip install"):
        parts.load("nothing", "x")


@pytest.mark.parametrize("group", get_args(parts.Group))
def test_parts_of_a_checkout_are_found_though_its_installed_metadata_is_older(group, monkeypatch: pytest.MonkeyPatch):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    declared = project.get(f"pytest_netbench.{group}", {})
    monkeypatch.setattr(parts, "_installed", lambda *_: ())
    assert set(parts.names(group)) == set(declared)
    for name, value in declared.items():
        module, _, attribute = value.partition(":")
        assert parts.load(group, name) is getattr(importlib.import_module(module), attribute)


def test_parts_that_a_new_folder_of_the_search_path_brings_are_found(tmp_path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(UsageError, match="unknown backend 'memory'"):
        parts.load("backends", "memory")
    monkeypatch.syspath_prepend(install(tmp_path / "site"))
    assert parts.load("backends", "memory").__name__ == "MemoryBackend"
