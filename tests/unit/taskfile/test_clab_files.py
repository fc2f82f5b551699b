"""Topology files of containerlab, read by themselves and as the topology of a task."""

from __future__ import annotations

import json

import pytest

from pytest_netbench.errors import TaskFileError, UsageError
from pytest_netbench.generators.sealed import unpacked
from pytest_netbench.results.packing import pack
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.clab import dialect_of, read_clab

FILE = """\
name: ring
topology:
  defaults: {kind: linux}
  kinds:
    linux: {image: 'alpine:3'}
  groups:
    routers: {image: 'quay.io/frrouting/frr:10.2.1'}
    switches: {kind: bridge}
  nodes:
    r1: {group: routers}
    r2: {group: routers, exec: [ip link]}
    h1:
    h2: {image: 'debian:12'}
    sw: {group: switches}
  links:
    - endpoints: ["r1:eth1", "r2:eth1"]
    - type: veth
      endpoints:
        - {node: r1, interface: eth2}
        - {node: sw, interface: port1}
    - endpoints: ["h1:eth1", "sw:port2"]
    - endpoints: ["h2:eth1", "sw:port3"]
    - type: dummy
      endpoint: {node: r2, interface: eth9}
"""
TASK = """\
task_name: A ring
intents: [h1 reaches r2]
topology: {clab: ring.clab.yml}
"""


def written(tmp_path, text=FILE):
    file = tmp_path / "ring.clab.yml"
    file.write_text(text)
    return file


def task_in(tmp_path, text=TASK):
    path = tmp_path / "ring.task.yaml"
    path.write_text(text)
    return load_task(path)


def test_nodes_have_what_their_groups_kinds_and_the_defaults_say(tmp_path):
    found = read_clab(written(tmp_path))
    assert [(node.name, node.kind, node.image) for node in found.nodes] == [
        ("r1", "linux", "quay.io/frrouting/frr:10.2.1"),
        ("r2", "linux", "quay.io/frrouting/frr:10.2.1"),
        ("h1", "linux", "alpine:3"),
        ("h2", "linux", "debian:12"),
    ]


def test_both_forms_of_links_are_read_and_a_bridge_is_a_lan(tmp_path):
    links = [" <-> ".join(map(str, ends)) for ends in read_clab(written(tmp_path)).links]
    assert links == ["r1 eth1 <-> r2 eth1", "r2 eth9", "r1 eth2 <-> h1 eth1 <-> h2 eth1"]


def test_bridges_that_are_joined_are_one_lan(tmp_path):
    text = FILE.replace("    sw: {group: switches}\n", "    sw: {group: switches}\n    sx: {group: switches}\n")
    text = text.replace('"h2:eth1", "sw:port3"', '"h2:eth1", "sx:port3"') + '    - endpoints: ["sx:up", "sw:up"]\n'
    links = [" <-> ".join(map(str, ends)) for ends in read_clab(written(tmp_path, text)).links]
    assert links[-1] == "r1 eth2 <-> h1 eth1 <-> h2 eth1"


@pytest.mark.parametrize(
    ("before", "after", "line", "sentence"),
    [
        ("name: ring", "prefix: x", 1, "has no `name:` of the lab"),
        ("  defaults: {kind: linux}\n", "", 9, "node 'r1' has no kind"),
        ("h2: {image", "h2: {kind: host, image", 13, "node 'h2' is of kind host"),
        ("h2: {image", "h2: {network-mode: 'container:h1', image", 13, "node 'h2' has no network of its own"),
        ("image: 'debian:12'", "image: 'debian:${V}'", 13, "is filled in by containerlab only"),
        ('"h1:eth1", "sw:port2"', '"h1:eth1", "host:x"', 21, "endpoint host:x leads out of the lab"),
        ('"h1:eth1", "sw:port2"', '"h1:eth1", "mgmt-net:x"', 21, "endpoint mgmt-net:x leads out of the lab"),
        ('"h1:eth1", "sw:port2"', '"h1:eth1", "macvlan:x"', 21, "endpoint macvlan:x leads out of the lab"),
        ('"h1:eth1", "sw:port2"', '"h1:eth1", "swe:port2"', 21, "unknown node 'swe'"),
        ('"h1:eth1", "sw:port2"', '"h1 eth1", "sw:port2"', 21, "must name a node and an interface, as `r1:eth1`"),
        ('"h1:eth1", "sw:port2"', '"h1:eth1"', 21, "a link of type veth has 1 endpoints"),
        ("type: veth", "type: vxlan", 17, "a link of type vxlan leads out of the lab"),
        ("type: veth", "type: vet", 17, "unknown type of link 'vet'"),
    ],
)
def test_what_a_task_cannot_have_is_an_error_with_its_place(tmp_path, before, after, line, sentence):
    assert before in FILE
    file = written(tmp_path, FILE.replace(before, after))
    with pytest.raises(UsageError) as caught:
        read_clab(file)
    assert str(caught.value).startswith(f"{file}:{line}: ")
    assert sentence in str(caught.value)


def test_a_file_of_something_else_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="is no topology file of containerlab"):
        read_clab(written(tmp_path, "services: {}\n"))


@pytest.mark.parametrize(
    ("kind", "image", "dialect"),
    [
        ("linux", "frrouting/frr:v8", "frr"),
        ("linux", "alpine", "linux"),
        ("cisco_iol", "x", "cisco_ios"),
        ("arista_ceos", "x", "arista_eos"),
        ("juniper_vjunosrouter", "x", "juniper_junos"),
        ("nokia_srlinux", "x", None),
    ],
)
def test_the_dialect_follows_from_kind_and_image(kind, image, dialect):
    assert dialect_of(kind, image) == dialect


def test_a_task_takes_its_nodes_and_links_from_such_a_file(tmp_path):
    written(tmp_path)
    topology = task_in(tmp_path).payload.topology
    assert [(node.name, node.platform, node.role) for node in topology.nodes] == [
        ("r1", "frr", "router"),
        ("r2", "frr", "router"),
        ("h1", "linux", "host"),
        ("h2", "linux", "host"),
    ]
    assert list(map(str, topology.links)) == ["r1 eth1 <-> r2 eth1", "r2 eth9", "r1 eth2 <-> h1 eth1 <-> h2 eth1"]


def test_a_task_may_say_more_of_its_nodes(tmp_path):
    written(tmp_path)
    nodes = "topology: {clab: ring.clab.yml, nodes: [{name: h2, platform: frr, role: border, control: observed}]}"
    node = task_in(tmp_path, TASK.replace("topology: {clab: ring.clab.yml}", nodes)).payload.topology.node("h2")
    assert (node.platform, node.role, node.control) == ("frr", "border", "observed")


def test_the_digest_of_a_task_is_that_of_the_network(tmp_path):
    written(tmp_path)
    before = task_in(tmp_path).digest
    written(tmp_path, FILE.replace("r2:eth1", "r2:eth4"))
    assert task_in(tmp_path).digest != before
    written(tmp_path, "# a remark\n" + FILE)
    assert task_in(tmp_path).digest == before


@pytest.mark.parametrize(
    ("topology", "sentence"),
    [
        ("{clab: none.clab.yml}", "there is no file"),
        ("{clab: ../ring.clab.yml}", "must lie in the folder of the task, or below it"),
        ("{clab: /etc/ring.clab.yml}", "must lie in the folder of the task, or below it"),
        ("{clab: 3}", "must name a topology file of containerlab"),
        ("{clab: ring.clab.yml, links: []}", "the links are those of ring.clab.yml"),
        ("{clab: ring.clab.yml, nodes: [r9]}", "the topology file has no such node: unknown node 'r9'"),
        ("{clab: ring.clab.yml, node: []}", "unknown"),
    ],
)
def test_what_is_wrong_with_the_task_is_an_error_with_its_line(tmp_path, topology, sentence):
    written(tmp_path)
    with pytest.raises(TaskFileError, match=r"ring\.task\.yaml:3:") as caught:
        task_in(tmp_path, TASK.replace("{clab: ring.clab.yml}", topology))
    assert sentence in str(caught.value)


def test_a_link_out_of_the_folder_is_followed(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    written(tmp_path)
    (inner / "ring.clab.yml").symlink_to(tmp_path / "ring.clab.yml")
    with pytest.raises(TaskFileError, match="must lie in the folder of the task"):
        task_in(inner)


def test_what_is_wrong_with_the_topology_file_has_its_place_there(tmp_path):
    written(tmp_path, FILE.replace("type: veth", "type: host"))
    with pytest.raises(TaskFileError, match=r"ring\.clab\.yml:17: a link of type host"):
        task_in(tmp_path)


def test_a_kind_that_nobody_knows_needs_a_platform(tmp_path):
    written(tmp_path, FILE.replace("h2: {image", "h2: {kind: nokia_srlinux, image"))
    with pytest.raises(TaskFileError, match="nothing is known of kind 'nokia_srlinux'"):
        task_in(tmp_path)
    nodes = "{clab: ring.clab.yml, nodes: [{name: h2, platform: linux}]}"
    assert (
        task_in(tmp_path, TASK.replace("{clab: ring.clab.yml}", nodes)).payload.topology.node("h2").platform == "linux"
    )


def test_a_sealed_task_has_its_topology_file_with_it(tmp_path):
    written(tmp_path)
    task = task_in(tmp_path)
    packed = pack([tmp_path / "ring.task.yaml"], root=tmp_path, stem="set")["ring"]
    (tmp_path / "ring.clab.yml").unlink()
    assert unpacked(packed).digest == task.digest


def test_json_tasks_take_topology_files_too(tmp_path):
    written(tmp_path)
    path = tmp_path / "ring.task.json"
    path.write_text(json.dumps({"task_name": "x", "intents": ["x"], "topology": {"clab": "ring.clab.yml"}}))
    assert len(load_task(path).payload.topology.nodes) == 4
