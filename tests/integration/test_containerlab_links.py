"""Links of labs of the real containerlab, shaped, cut and broken."""

from __future__ import annotations

import json
from typing import Any

from tests.integration.containerlab import NEEDED, NOTHING, Site

pytestmark = NEEDED

PROGRAM = """
import json, re, time
from pytest_netbench import parts
from pytest_netbench.lab.capabilities import LINKS, NODES, Defect
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.topology import Endpoint, Link, LinkQuality, Node, Topology

def link(interface, nodes, **quality):
    ends = tuple(Endpoint(node=node, interface=interface) for node in nodes)
    return Link(endpoints=ends, quality=LinkQuality(**quality))

topology = Topology(
    nodes=tuple(Node(name=name) for name in "abc"),
    links=(link("eth1", "ab", delay_ms=20), link("eth2", "ab"), link("eth3", "abc", delay_ms=10)),
)
configs = {
    name: "\\n".join(
        f"ip addr add 10.0.{interface[-1]}.{number}/24 dev {interface}" for interface in topology.interfaces(name)
    )
    for number, name in enumerate("abc", start=1)
}
lab = parts.load("backends", "containerlab")().deploy(
    LabRequest(name="links", topology=topology, dialects=dict.fromkeys("abc", "linux"), startup_configs=configs)
)
links, nodes, near = lab.capability(LINKS), lab.capability(NODES), lab.nodes["a"]

def ping(target, *words):
    shown = near.run(["ping", "-i", "0.1", "-c", "5", "-W", "1", *words, target]).stdout
    found = re.search(r"= ([\\d.]+)/", shown)
    return float(found[1]) if found else None

def carriers():
    ends_at, seen = time.monotonic() + 2, None
    while time.monotonic() < ends_at:
        now = ["LOWER_UP" in lab.nodes[name].run(["ip", "link", "show", "eth2"]).stdout for name in "ab"]
        if now == seen:
            break
        seen = now
        time.sleep(0.1)
    return now

said = {"delays": [ping(f"10.0.{number}.2") for number in (1, 2, 3)]}
links.set_quality("b", "eth2", LinkQuality(delay_ms=15))
said["changed"] = ping("10.0.2.2")
links.set_quality("b", "eth2", LinkQuality())
links.cut("a", "eth2")
said["cut"] = carriers()
links.restore("a", "eth2")
said["restored"] = [*carriers(), ping("10.0.2.2")]
links.set_defect("a", "eth2", Defect(most_bytes=800))
said["defect"] = [ping("10.0.2.2", "-s", "900"), ping("10.0.2.2")]
links.set_defect("a", "eth2", Defect())
nodes.crash("b")
said["crashed"] = [ping("10.0.2.2"), *carriers()]
nodes.revive("b")
said["revived"] = ping("10.0.1.2")
addresses = {name: f"10.0.3.{number}" for number, name in enumerate("abc", start=1)}
said["probed"] = [one.delivered for one in lab.prober.matrix(addresses).values()]
lab.destroy()
lab.await_cleanup()
print(json.dumps(said))
"""


def held(shown: str) -> None:
    """What the program above prints is what the links should do."""
    said: dict[str, Any] = json.loads(next(line for line in shown.splitlines() if line.startswith("{")))
    slow, plain, lan = said["delays"]
    assert slow >= 40
    assert plain < 20
    assert lan >= 20
    assert said["changed"] >= 30
    assert said["cut"] == [False, False]
    assert said["restored"][:2] == [True, True]
    assert said["restored"][2] < 20
    assert said["defect"][0] is None
    assert said["defect"][1] is not None
    assert said["crashed"] == [None, True, True]
    assert said["revived"] >= 40
    assert said["probed"] == [True] * 6


def test_links_do_on_containers_what_they_do_on_namespaces(site: Site) -> None:
    held(site.run("-c", PROGRAM))
    assert site.left() == NOTHING
