"""HSRP among routers that boot together: without preemption the higher priority is active, whoever boots first."""

from __future__ import annotations

from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios.driver import CiscoIosDriver
from tests.support.ios import await_that, ios_task, show

SWITCH = "".join(
    f"interface Gi0/{n}\n switchport mode access\n spanning-tree portfast\n no shutdown\n" for n in range(3)
)
EARLY = """
interface Gi0/0
 ip address 10.0.0.{own} 255.255.255.0
 standby 1 ip 10.0.0.254
 standby 1 priority {priority}
 no shutdown
"""
# it boots for longer than a hold time lasts in the lab
LATE = EARLY + "".join(f"ip route 172.{16 + n // 200}.{n % 200}.0 255.255.255.0 Null0\n" for n in range(300))
HOST = "ip address add 10.0.0.10/24 dev eth0\nip route add default via 10.0.0.254\n"
LINKS = ["SW Gi0/0 - R1 Gi0/0", "SW Gi0/1 - R2 Gi0/0", "SW Gi0/2 - h eth0"]


def state(lab, node):
    (row,) = parse_output(platform="cisco_ios", command="show standby", data=show(lab.nodes[node], "show standby"))
    return row["state"]


def test_the_higher_priority_is_active_although_it_boots_last_and_a_host_reaches_it_at_once(deploy_task):
    configs = {"SW": SWITCH, "R1": EARLY.format(own=1, priority=90), "R2": LATE.format(own=2, priority=110)}
    task = ios_task(configs, LINKS, hosts={"h": HOST}, roles={"SW": "switch"})
    lab = deploy_task(task)
    assert lab.nodes["h"].run(["ping", "-c1", "-W10", "10.0.0.254"]).returncode == 0
    assert (state(lab, "R1"), state(lab, "R2")) == ("Standby", "Active")


def test_a_router_that_reloads_later_does_not_wait_and_does_not_preempt(deploy_task):
    configs = {"SW": SWITCH, "R1": EARLY.format(own=1, priority=90), "R2": EARLY.format(own=2, priority=110)}
    lab = deploy_task(ios_task(configs, LINKS, hosts={"h": HOST}, roles={"SW": "switch"}))
    assert (state(lab, "R1"), state(lab, "R2")) == ("Standby", "Active")
    CiscoIosDriver().reboot(lab.nodes["R2"], configs["R2"])
    await_that(lambda: state(lab, "R1") == "Active", lambda: show(lab.nodes["R1"], "show standby"))
    await_that(lambda: state(lab, "R2") == "Standby", lambda: show(lab.nodes["R2"], "show standby"))
    assert state(lab, "R1") == "Active"


def test_a_dhcp_client_reaches_the_far_side_of_the_virtual_router_with_its_first_packets(deploy_task):
    far = "interface Loopback0\n ip address 9.9.9.9 255.255.255.255\n"
    pool = (
        "ip dhcp excluded-address 10.0.0.1 10.0.0.20\n"
        "ip dhcp pool LAN\n network 10.0.0.0 255.255.255.0\n default-router 10.0.0.254\n"
    )
    client = "interface Gi0/0\n ip address dhcp\n no shutdown\n"
    configs = {
        "SW": SWITCH,
        "R1": EARLY.format(own=1, priority=90) + far,
        "R2": EARLY.format(own=2, priority=110) + far + pool,
        "PC": client,
    }
    lab = deploy_task(ios_task(configs, [*LINKS[:2], "SW Gi0/2 - PC Gi0/0"], roles={"SW": "switch"}))
    text = show(lab.nodes["PC"], "ping 9.9.9.9")
    assert "Success rate is 100 percent" in text or ".!!!!" in text, text + show(lab.nodes["R2"], "show standby")
