"""An IOS node of this project as a device of a real GNS3 server: a machine with a telnet console and wires."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from tests.integration.gns3 import IOS_PROGRAM, Gns3, served
from tests.integration.gns3_guests import verdicts
from tests.support.gns3.machine import ENABLE
from tests.support.programs import NotToBeHad

RELEASE = "3.0.6"
TASK = """\
task_name: A second LAN
difficulty: easy
platform: cisco_ios
requirements: [probes]
intents:
  - R1 has the address 10.0.2.1/24 in the LAN of pc2, and pc1 reaches pc2.
topology:
  nodes:
    - {name: R1, control: managed, role: router}
    - {name: pc1, platform: linux, control: observed, role: computer}
    - {name: pc2, platform: linux, control: observed, role: computer}
  links:
    - R1 Gi0/0 <-> pc1 eth0
    - R1 Gi0/1 <-> pc2 eth0
startup_configs:
  R1: |
    hostname R1
    interface GigabitEthernet0/0
     ip address 10.0.1.1 255.255.255.0
     no shutdown
    interface GigabitEthernet0/1
     ip address 10.0.9.1 255.255.255.0
     no shutdown
  pc1: |
    ip address add 10.0.1.2/24 dev eth0
    ip route add default via 10.0.1.1
  pc2: |
    ip address add 10.0.2.2/24 dev eth0
    ip route add default via 10.0.2.1
ground_truth_configs:
  R1:
    - interface GigabitEthernet0/1
    - ip address 10.0.2.1 255.255.255.0
testcases:
  - {name: pc1 reaches pc2, kind: reachability, from: pc1, to: pc2, within: 20s}
  - {name: pc2 reaches pc1, kind: reachability, from: pc2, to: pc1, within: 20s}
  - name: the address is configured
    kind: show
    device: R1
    commands: show running-config
    expected_output: "ip address 10.0.2.1 255.255.255.0"
"""
_KINDS = """\
cisco_ios:
  gns3: {template: IOS, driver: cisco_ios_ssh, console: device, enable-secret: $IOS_ENABLE, boot-s: 120}
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the server is started in a namespace as root")


@pytest.fixture(scope="module")
def gns3(say: Callable[[str], None], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gns3]:
    try:
        with served(tmp_path_factory.mktemp("gns3"), RELEASE, say) as one:
            (one.folder / "lan.task.yaml").write_text(TASK)
            (one.folder / "kinds.yaml").write_text(_KINDS)
            template = {
                "name": "IOS",
                "template_type": "qemu",
                "compute_id": "local",
                "qemu_path": str(one.folder / "bin" / IOS_PROGRAM),
                "adapters": 2,
                "port_name_format": "Gi0/{0}",
                "console_type": "telnet",
            }
            one.ask("/templates", template)
            one.environment |= {"NETBENCH_KINDS": str(one.folder / "kinds.yaml"), "IOS_ENABLE": ENABLE}
            yield one
    except NotToBeHad as error:
        pytest.skip(str(error))


def test_a_router_at_a_console_has_the_verdicts_that_it_has_on_namespaces(gns3: Gns3) -> None:
    task, found = str(gns3.folder / "lan.task.yaml"), {}
    for backend in ("netns", "gns3"):
        shown, results = gns3.pytest(task, "--agent=oracle", "--agent=nop", backend=backend)
        assert [one["error"] for one in results] == [None, None], shown
        assert {one["environment"]["backend"] for one in results} == {backend}
        found[backend] = verdicts(results)
    assert found["gns3"] == found["netns"]
    assert [found["gns3"][agent][0] for agent in ("oracle", "nop")] == ["passed", "failed"]
    assert gns3.projects() == []
