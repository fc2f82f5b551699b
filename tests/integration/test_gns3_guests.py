"""Linux hosts and FRR routers in QEMU on a real GNS3 server, configured at their serial consoles. Two at a time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator

import pytest

from tests.integration.gns3 import Gns3
from tests.integration.gns3_guests import served_with_guests, verdicts
from tests.integration.test_gns3 import PROGRAM, told
from tests.support.programs import NotToBeHad

RELEASE = "3.0.6"
TASK = """\
task_name: A branch behind a new address
difficulty: easy
platform: frr
intents:
  - text: The router has the address 10.0.0.1/24 in the LAN of pc, and a route to 192.0.2.0/24 by way of pc.
topology:
  nodes:
    - {name: gw, control: managed, role: router}
    - {name: pc, platform: linux, control: observed, role: computer}
  links:
    - gw eth1 <-> pc eth0
startup_configs:
  gw: |
    hostname gw
    interface eth1
     ip address 10.0.0.9/24
    interface lo
     ip address 198.51.100.1/32
  pc: |
    ip address add 10.0.0.2/24 dev eth0
    ip address add 192.0.2.1/32 dev lo
    ip route add default via 10.0.0.1
ground_truth_configs:
  gw:
    - interface eth1
    - no ip address 10.0.0.9/24
    - ip address 10.0.0.1/24
    - exit
    - ip route 192.0.2.0/24 10.0.0.2
testcases:
  - {name: pc reaches the router, kind: reachability, from: pc, to: 198.51.100.1, within: 20s}
  - {name: the router reaches the branch, kind: reachability, from: gw, to: 192.0.2.1, within: 20s}
  - {name: pc uses a server on the router, kind: reachability, from: pc, to: gw, protocol: tcp, port: 443, within: 20s}
  - {name: the route is there, kind: route, device: gw, prefix: 192.0.2.0/24, within: 20s}
"""

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="the server is started in a namespace as root"),
    pytest.mark.skipif(
        shutil.which("qemu-system-x86_64") is None,
        reason="qemu-system-x86_64 is missing; fix: apt-get install qemu-system-x86",
    ),
]


@pytest.fixture(scope="module")
def gns3(say: Callable[[str], None], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gns3]:
    try:
        with served_with_guests(tmp_path_factory.mktemp("gns3"), RELEASE, say) as one:
            (one.folder / "branch.task.yaml").write_text(TASK)
            yield one
    except NotToBeHad as error:
        pytest.skip(str(error))


@pytest.mark.skipif(
    not os.environ.get("NETBENCH_WHOLE_CORPUS"), reason="it takes minutes: make selftest, or NETBENCH_WHOLE_CORPUS=1"
)
def test_a_router_and_a_host_have_the_verdicts_that_they_have_on_namespaces(gns3: Gns3) -> None:
    found = {}
    for backend in ("netns", "gns3"):
        shown, results = gns3.pytest(
            str(gns3.folder / "branch.task.yaml"), "--agent=oracle", "--agent=nop", backend=backend
        )
        assert len(results) == 2, shown
        assert [one["error"] for one in results] == [None, None], shown
        assert {one["environment"]["backend"] for one in results} == {backend}
        found[backend] = verdicts(results)
    assert found["gns3"] == found["netns"]
    assert found["gns3"]["oracle"][0] == "passed"
    assert found["gns3"]["nop"][0] == "failed"
    assert gns3.projects() == []


def test_hosts_are_logged_in_to_measured_cut_crashed_and_rebooted(gns3: Gns3) -> None:
    shown = gns3.run(
        "-c",
        PROGRAM
        + """
from pytest_netbench.platforms.linux.driver import PRIVILEGED_READS
lab = deployed("guests", ["a", "b"], link("a", "b"))
links, nodes, a, b = lab.capability(LINKS), lab.capability(NODES), lab.nodes["a"], lab.nodes["b"]
carrier = lambda node: node.run(["cat", "/sys/class/net/eth0/carrier"]).stdout.strip()
found = {"at first": icmp(lab).delivered, "kernel": lab.driver("a").version(a)}
try:
    (datagram,) = lab.prober.probe([Probe(source="a", target="10.0.0.2", protocol="udp", listen_on="b", dscp=46)])
    found["datagram"] = datagram.delivered, datagram.seen_source, datagram.received_dscp
    text = "a 'b' $c\\n" * 4000
    a.write_file("/etc/new/file", text, mode=0o600)
    found["file"] = a.read_file("/etc/new/file") == text, a.run(["stat", "-c", "%a", "/etc/new/file"]).stdout
    done = a.shell("ip link set eth0 down; id -u; touch /etc/x", writable=False)
    found["without rights"] = a.enforces_read_only, done.stdout, carrier(a)
    links.cut("a", "eth0")
    found["cut"] = carrier(b), icmp(lab).delivered
    links.restore("b", "eth0")
    found["restored"] = carrier(b), icmp(lab).delivered
    nodes.crash("b")
    found["crashed"] = icmp(lab).delivered
    nodes.revive("b")
    found["revived"] = icmp(lab).delivered
    changes = ["ip address add 10.7.0.2/24 dev eth0", "nft add table ip mine", "sysctl -w net.ipv4.ip_forward=1"]
    found["refused"] = [one.message for one in lab.driver("b").apply(b, changes) if one.status != "success"]
    b.start(["sleep", "604"])
    forwarding = lambda: b.run(["sysctl", "-n", "net.ipv4.ip_forward"]).stdout.strip()
    found["changed"] = lab.driver("b").running_config(b), forwarding()
    nodes.reboot("b")
    found["rebooted"] = icmp(lab).delivered, lab.driver("b").running_config(b), forwarding()
    found["left"] = b.run(["sh", "-c", "ps axo args | grep -c '[s]leep 604'"]).stdout
finally:
    lab.destroy()
    lab.await_cleanup()
tell(**found)
""",
    )
    found = told(shown)
    assert found["at first"] is True
    assert "cloud-amd64" in str(found["kernel"])
    assert found["datagram"] == [True, "10.0.0.1", 46]
    assert found["file"] == [True, "600\n"]
    assert found["without rights"] == [True, "65534\n", "1"]
    assert found["cut"] == ["0", False]
    assert found["restored"] == ["1", True]
    assert [found["crashed"], found["revived"]] == [False, True]
    assert found["refused"] == []
    changed, forwards = list(found["changed"])  # type: ignore[call-overload]
    assert [one for one in ("10.7.0.2/24", "table ip mine", "net.ipv4.ip_forward = 1") if one not in changed] == []
    assert forwards == "1"
    delivered, config, forwards = list(found["rebooted"])  # type: ignore[call-overload]
    assert delivered
    assert "10.0.0.2/24" in config
    assert [one for one in ("10.7.0.2/24", "table ip mine", "ip_forward") if one in config] == []
    assert forwards == "0"
    assert found["left"] == "0\n"
    assert gns3.projects() == []
