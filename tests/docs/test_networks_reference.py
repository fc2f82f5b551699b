"""docs/reference/networks.md has the shapes, sizes and parameters of the code."""

from __future__ import annotations

import re

from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters
from pytest_netbench.generators.networks.services import SERVICES
from pytest_netbench.generators.networks.shapes import SHAPES
from tests.support.doc_examples import ROOT

TEXT = (ROOT / "docs/reference/networks.md").read_text(encoding="utf-8")


def quoted(words: object) -> str:
    return ", ".join(f"`{word}`" for word in words)  # type: ignore[attr-defined]


def test_every_shape_is_documented_with_what_it_offers():
    rows = re.findall(
        r"^\| `([\w-]+)` \| (.+?) \| (`(?:static|ospf|bgp|openflow|p4)`.*?) \| (.+?) \|$", TEXT, re.MULTILINE
    )
    assert rows == [
        (name, shape.what, quoted(shape.routings), quoted(shape.platforms)) for name, shape in SHAPES.items()
    ]


def test_every_service_is_documented_with_its_shapes_and_platforms():
    section = TEXT.partition("## Services")[2]
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \| (`(?:cisco_ios|frr|linux)`.*?) \|$", section, re.MULTILINE)
    assert rows == [
        (name, one.what, quoted(one.shapes) if one.shapes else "all", quoted(one.platforms))
        for name, one in SERVICES.items()
    ]


def test_every_size_is_documented_with_its_default():
    rows = re.findall(r"^\| `([\w-]+)` \| `(\w+)` \| (\d+) \| (.+?) \|$", TEXT, re.MULTILINE)
    assert rows == [
        (name, size, str(field.default), field.description)
        for name, shape in SHAPES.items()
        for size, field in shape.sizes.model_fields.items()
    ]


def test_every_parameter_and_every_member_of_a_network_is_documented():
    section = TEXT.partition("## Parameters")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", section, re.MULTILINE))
    defaults = {name: field.default for name, field in NetworkParameters.model_fields.items()}
    assert rows == {name: "none" if value is None else f"`{value}`" for name, value in defaults.items()}
    members = TEXT.partition("## The drawn network")[2]
    assert [name for name in DrawnNetwork.model_fields if f"`{name}`" not in members] == []
