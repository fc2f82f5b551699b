"""Reading of MALT models in protocol buffers' text format."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_netbench.datacenter_graph import malt
from pytest_netbench.datacenter_graph.safety import violations
from pytest_netbench.datacenter_graph.specification import GraphSpecification
from pytest_netbench.errors import InputError

ENTITIES = (
    ("EK_JUPITER", "ju1", "jupiter_attr { jupiter_type: JDT_COLO }"),
    ("EK_SPINEBLOCK", "ju1.s1", ""),
    ("EK_PACKET_SWITCH", "ju1.s1.c1", "packet_switch_attr { switch_loc { stage: 2 } }"),
    ("EK_CHASSIS", "ju1.s1.c1", ""),
    ("EK_CONTROL_POINT", "ju1.s1.c1", ""),
    ("EK_RACK", "ju1.s1rack", ""),
    ("EK_CONTROL_DOMAIN", "ju1.s1.dom", ""),
    ("EK_PORT", "ju1.s1.c1.p1", "port_attr { physical_capacity_bps: 1000000000 }"),
)
RELATIONSHIPS = (
    ("RK_CONTAINS", "EK_JUPITER", "ju1", "EK_SPINEBLOCK", "ju1.s1"),
    ("RK_CONTAINS", "EK_SPINEBLOCK", "ju1.s1", "EK_PACKET_SWITCH", "ju1.s1.c1"),
    ("RK_CONTAINS", "EK_PACKET_SWITCH", "ju1.s1.c1", "EK_PORT", "ju1.s1.c1.p1"),
    ("RK_CONTAINS", "EK_CHASSIS", "ju1.s1.c1", "EK_PACKET_SWITCH", "ju1.s1.c1"),
    ("RK_CONTAINS", "EK_CHASSIS", "ju1.s1.c1", "EK_CONTROL_POINT", "ju1.s1.c1"),
    ("RK_CONTROLS", "EK_CONTROL_POINT", "ju1.s1.c1", "EK_PACKET_SWITCH", "ju1.s1.c1"),
    ("RK_CONTAINS", "EK_RACK", "ju1.s1rack", "EK_CHASSIS", "ju1.s1.c1"),
    ("RK_CONTAINS", "EK_CONTROL_DOMAIN", "ju1.s1.dom", "EK_CONTROL_POINT", "ju1.s1.c1"),
)
TEXT = "".join(
    [
        *(
            f'entity {{\n  id {{\n    kind: {kind}\n    name: "{name}"\n  }}\n  {rest}\n}}\n'
            for kind, name, rest in ENTITIES
        ),
        *(
            f'relationship {{ kind: {kind} a {{ kind: {a} name: "{one}" }} z {{ kind: {z} name: "{other}" }} }}\n'
            for kind, a, one, z, other in RELATIONSHIPS
        ),
    ]
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "malt-graph.textproto.txt"
    file.write_text(TEXT)
    return file


def test_each_entity_is_a_node_although_a_chassis_has_the_name_of_its_switch(path):
    graph = malt.read(path, malt.digest_of_file(path))
    assert len(graph.nodes) == len(ENTITIES)
    assert graph.nodes["ju1.s1.c1"] == {"name": "ju1.s1.c1", "type": "EK_PACKET_SWITCH", "switch_loc": {"stage": 2}}
    assert graph.nodes["ju1.s1.c1.chassis"]["type"] == "EK_CHASSIS"
    assert graph.nodes["ju1.s1.c1.p1"]["physical_capacity_bps"] == 1_000_000_000
    assert len(graph.edges) == len(RELATIONSHIPS)
    assert graph.edges["ju1.s1.c1.cp", "ju1.s1.c1"] == "RK_CONTROL"
    assert all(one != other for one, other in graph.edges)


def test_the_words_of_the_file_are_spelled_as_in_the_paper_and_the_graph_keeps_the_rules(path):
    graph = malt.read(path, malt.digest_of_file(path))
    assert graph.nodes["ju1.s1"]["type"] == "EK_SPINE_BLOCK"
    assert violations(graph) == []


def test_another_file_than_the_tasks_is_refused(path):
    specification = GraphSpecification.model_validate({"malt": {"path": str(path), "sha256": "0" * 64}})
    with pytest.raises(InputError, match=r"malt-graph.*it is not the graph of the task: its SHA-256 is"):
        specification.graph()


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nowhere.*cannot be read"):
        malt.digest_of_file(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("entity {", "does not end"),
        ("}", "line 1 is outside of a block"),
        ("hello", "line 1 cannot be read"),
        ('entity { id { kind: EK_MOON name: "m" } }', "unknown kind of entity 'EK_MOON'"),
        ("planet { }", "unknown block 'planet'"),
        (TEXT + 'entity { id { kind: EK_JUPITER name: "ju1" } }', "two entities 'ju1'"),
        (
            'relationship { kind: RK_CONTAINS a { kind: EK_RACK name: "r" } z { kind: EK_CHASSIS name: "c" } }',
            "names no entity",
        ),
        ("entity { name: 3 }", "it is no MALT model"),
    ],
)
def test_what_is_no_model_is_refused_with_the_reason(text, words):
    with pytest.raises(InputError) as caught:
        malt.parsed(text, Path("x.textproto"))
    assert words in str(caught.value)
    assert "x.textproto" in str(caught.value)
