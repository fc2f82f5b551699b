"""An area that becomes a stub area or an NSSA forgets what it must not have, as on a device.

R2, with externals - area 0 - R1 - area 3 - R3
"""

from __future__ import annotations

import pytest

from tests.support.ios import eventually, ios_task, settle, show, type_lines

PORT = "interface Gi0/{n}\n ip address {address} 255.255.255.0\n no shutdown\n"
CONFIGS = {
    "R1": PORT.format(n=0, address="10.0.12.1")
    + PORT.format(n=1, address="10.3.13.1")
    + "router ospf 1\n router-id 1.1.1.1\n network 10.0.0.0 0.0.255.255 area 0\n network 10.3.0.0 0.0.255.255 area 3\n",
    "R2": PORT.format(n=0, address="10.0.12.2")
    + "ip route 203.0.113.0 255.255.255.0 Null0\n"
    + "router ospf 1\n router-id 2.2.2.2\n network 10.0.0.0 0.0.255.255 area 0\n redistribute static subnets\n",
    "R3": PORT.format(n=0, address="10.3.13.3")
    + "router ospf 1\n router-id 3.3.3.3\n network 10.3.0.0 0.0.255.255 area 3\n",
}


@pytest.mark.parametrize("words", ["stub", "nssa"])
def test_a_running_area_that_becomes_totally_stubby_has_one_default_and_no_external_left(deploy_task, words):
    lab = deploy_task(ios_task(CONFIGS, ["R1 Gi0/0 - R2 Gi0/0", "R1 Gi0/1 - R3 Gi0/0"]))
    assert "O E2  203.0.113.0/24" in show(lab.nodes["R3"], "show ip route ospf")
    type_lines(lab.nodes["R3"], "router ospf 1", f"area 3 {words}")
    type_lines(lab.nodes["R1"], "router ospf 1", f"area 3 {words} no-summary")
    settle(lab)
    table = show(lab.nodes["R3"], "show ip route ospf")
    assert "O*IA  0.0.0.0/0" in table
    assert "10.0.12.0" not in table
    assert "203.0.113.0" not in table
    assert eventually(lambda: "203.0.113.0" not in show(lab.nodes["R3"], "show ip ospf database"))
    assert "O E2  203.0.113.0/24" in show(lab.nodes["R1"], "show ip route ospf")
