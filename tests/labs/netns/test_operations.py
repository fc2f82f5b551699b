"""Operations on a running lab: cables, link quality, daemons, reboots, counters and logs."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from pytest_netbench.backends.netns.nodes import node as node_module
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.capabilities import LINKS, NODES, Defect, crashed
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.session import ScrapliSession
from pytest_netbench.model.topology import LinkQuality
from pytest_netbench.platforms.capabilities import COUNTERS, DAEMONS, LOGS
from pytest_netbench.platforms.frr import vtysh
from tests.support.ios import await_that, ios_task, show
from tests.support.netns_networks import network, ospf_pair, pair

DELAYED = LinkQuality(delay_ms=30)


def link_state(lab: Any, node: str, interface: str) -> tuple[bool, bool]:
    """Whether an interface is set up, and whether it has carrier."""
    (link,) = json.loads(lab.nodes[node].run(["ip", "-j", "link", "show", "dev", interface]).stdout)
    return "UP" in link["flags"], "NO-CARRIER" not in link["flags"] and "LOWER_UP" in link["flags"]


def reaches(lab: Any, source: str, target: str, timeout_s: float = 0.3) -> bool:
    return lab.prober.probe([Probe(source=source, target=target, timeout_s=timeout_s)])[0].delivered


def rtt_ms(lab: Any, source: str, target: str) -> float:
    said = lab.nodes[source].run(["ping", "-c", "3", "-i", "0.1", "-q", target]).stdout
    return float(said.rsplit("= ", 1)[1].split("/")[0])


def eventually_reaches(lab: Any, source: str, target: str) -> None:
    await_that(lambda: reaches(lab, source, target), lambda: f"{source} does not reach {target}")


@pytest.mark.parametrize("quality", [None, {"delay_ms": 5}], ids=["plain", "shaped"])
def test_a_cut_cable_has_no_carrier_at_either_end_and_no_end_is_shut_down(deploy, quality) -> None:
    lab = deploy(pair(quality))
    links = lab.capability(LINKS)
    assert reaches(lab, "a", "10.0.0.2")
    links.cut("a", "eth0")
    assert links.is_cut("b", "eth0")
    for node in ("a", "b"):
        await_that(lambda node=node: link_state(lab, node, "eth0") == (True, False), lambda: "carrier is left")
    assert not reaches(lab, "a", "10.0.0.2")
    links.cut("b", "eth0")  # it is the same cable
    links.restore("b", "eth0")
    for node in ("a", "b"):
        await_that(lambda node=node: link_state(lab, node, "eth0") == (True, True), lambda: "no carrier")
    eventually_reaches(lab, "a", "10.0.0.2")
    assert not links.is_cut("a", "eth0")


@pytest.mark.parametrize("quality", [None, {"delay_ms": 5}], ids=["plain", "shaped"])
def test_an_end_that_was_shut_down_stays_so_and_the_other_has_no_carrier(deploy, quality) -> None:
    lab = deploy(pair(quality))
    links = lab.capability(LINKS)
    lab.nodes["b"].run(["ip", "link", "set", "eth0", "down"])
    await_that(lambda: link_state(lab, "a", "eth0") == (True, False), lambda: "a still has carrier")
    links.cut("a", "eth0")
    links.restore("a", "eth0")
    time.sleep(0.2)
    assert link_state(lab, "a", "eth0") == (True, False)
    assert link_state(lab, "b", "eth0")[0] is False
    lab.nodes["b"].run(["ip", "link", "set", "eth0", "up"])
    for node in ("a", "b"):
        await_that(lambda node=node: link_state(lab, node, "eth0") == (True, True), lambda: "no carrier")


def test_an_end_that_is_shut_and_opened_while_the_cable_is_cut_has_no_carrier(deploy) -> None:
    lab = deploy(pair())
    links = lab.capability(LINKS)
    links.cut("a", "eth0")
    for state in ("down", "up"):
        lab.nodes["b"].run(["ip", "link", "set", "eth0", state])
    time.sleep(0.2)
    assert link_state(lab, "b", "eth0") == (True, False)
    assert link_state(lab, "a", "eth0") == (True, False)
    links.restore("a", "eth0")
    await_that(lambda: link_state(lab, "a", "eth0") == (True, True), lambda: "no carrier")


def lan(quality=None):
    configs = {name: f"ip address add 10.0.0.{n}/24 dev eth0\n" for n, name in enumerate("abc", start=1)}
    return network(dict.fromkeys("abc", "linux"), [("a eth0 - b eth0 - c eth0", quality or {})], configs)


@pytest.mark.parametrize("quality", [None, {"delay_ms": 5}], ids=["plain", "shaped"])
def test_in_a_lan_one_end_is_cut_and_the_others_go_on(deploy, quality) -> None:
    lab = deploy(lan(quality))
    links = lab.capability(LINKS)
    links.cut("c", "eth0")
    await_that(lambda: link_state(lab, "c", "eth0") == (True, False), lambda: "c still has carrier")
    assert link_state(lab, "a", "eth0") == (True, True)
    assert reaches(lab, "a", "10.0.0.2")
    assert not reaches(lab, "a", "10.0.0.3")
    assert (links.is_cut("c", "eth0"), links.is_cut("a", "eth0")) == (True, False)
    links.restore("c", "eth0")
    eventually_reaches(lab, "a", "10.0.0.3")


@pytest.mark.parametrize("make", [pair, lan], ids=["cable", "lan"])
def test_a_plain_link_can_be_shaped_and_made_plain_again_while_it_runs(deploy, make) -> None:
    lab = deploy(make())
    links = lab.capability(LINKS)
    assert links.quality("a", "eth0").is_plain
    links.set_quality("a", "eth0", DELAYED)
    eventually_reaches(lab, "a", "10.0.0.2")
    assert rtt_ms(lab, "a", "10.0.0.2") > 58
    assert links.quality("b", "eth0") == DELAYED
    links.set_quality("b", "eth0", LinkQuality(loss=1.0))
    assert not reaches(lab, "a", "10.0.0.2")
    assert link_state(lab, "a", "eth0") == (True, True)
    links.set_quality("b", "eth0", LinkQuality())
    eventually_reaches(lab, "a", "10.0.0.2")
    assert rtt_ms(lab, "a", "10.0.0.2") < 30


def test_a_shaped_link_can_be_shaped_otherwise_and_stays_cut_if_it_was(deploy) -> None:
    lab = deploy(pair({"delay_ms": 30}))
    links = lab.capability(LINKS)
    links.cut("a", "eth0")
    links.set_quality("a", "eth0", LinkQuality(delay_ms=1))
    time.sleep(0.2)
    assert link_state(lab, "a", "eth0") == (True, False)
    assert link_state(lab, "b", "eth0") == (True, False)
    links.restore("b", "eth0")
    eventually_reaches(lab, "a", "10.0.0.2")
    assert rtt_ms(lab, "a", "10.0.0.2") < 30


@pytest.mark.parametrize("make", [pair, lan], ids=["cable", "lan"])
def test_a_node_that_has_crashed_answers_nobody_and_keeps_carrier(deploy, make) -> None:
    lab = deploy(make())
    nodes = lab.capability(NODES)
    assert not crashed(lab)
    eventually_reaches(lab, "a", "10.0.0.2")
    nodes.crash("b")
    nodes.crash("b")
    assert list(crashed(lab)) == ["b"]
    assert not reaches(lab, "a", "10.0.0.2")
    assert [link_state(lab, name, "eth0") for name in ("a", "b")] == [(True, True)] * 2
    if make is lan:
        assert reaches(lab, "a", "10.0.0.3")
    nodes.revive("b")
    eventually_reaches(lab, "a", "10.0.0.2")
    assert not crashed(lab)


def test_a_node_on_a_shaped_link_cannot_crash(deploy) -> None:
    lab = deploy(pair({"delay_ms": 5}))
    with pytest.raises(LabError, match="cannot be blocked"):
        lab.capability(NODES).crash("a")
    assert not crashed(lab)


@pytest.mark.parametrize("make", [pair, lan], ids=["cable", "lan"])
def test_an_interface_can_be_taken_out_of_its_node_and_put_in_again(deploy, make) -> None:
    lab = deploy(make())
    links = lab.capability(LINKS)
    links.detach("a", "eth0")
    links.detach("a", "eth0")
    assert "does not exist" in lab.nodes["a"].run(["ip", "link", "show", "dev", "eth0"]).stderr
    assert "eth0" not in lab.nodes["a"].capability(COUNTERS).counters()
    if make is pair:
        await_that(lambda: link_state(lab, "b", "eth0") == (True, False), lambda: "b has carrier")
    else:
        assert reaches(lab, "b", "10.0.0.3")
    links.attach("a", "eth0")
    await_that(lambda: link_state(lab, "a", "eth0") == (True, True), lambda: "no carrier")
    assert not reaches(lab, "b", "10.0.0.1")
    lab.nodes["a"].run(["ip", "address", "add", "10.0.0.1/24", "dev", "eth0"])
    eventually_reaches(lab, "b", "10.0.0.1")


def test_a_defect_is_beside_the_quality_of_a_cable_and_a_lan_has_none(deploy) -> None:
    lab = deploy(pair({"delay_ms": 30}))
    links = lab.capability(LINKS)
    links.set_defect("a", "eth0", Defect(most_bytes=100))
    eventually_reaches(lab, "a", "10.0.0.2")
    assert rtt_ms(lab, "a", "10.0.0.2") > 58
    assert lab.nodes["a"].run(["ping", "-c", "1", "-W", "1", "-s", "100", "10.0.0.2"]).returncode
    links.set_defect("b", "eth0", Defect())
    assert not lab.nodes["a"].run(["ping", "-c", "1", "-W", "10", "-s", "100", "10.0.0.2"]).returncode
    for node, is_lost in (("a", True), ("b", False)):
        links.set_defect(node, "eth0", Defect(most_bytes=100, one_way=True))
        sent = [Probe(source="a", target="10.0.0.2", protocol="udp", port=80, listen_on="b", timeout_s=0.3)]
        assert lab.prober.probe(sent)[0].arrived is not is_lost, node
    with pytest.raises(LabError, match="is no cable between two interfaces"):
        deploy(lan()).capability(LINKS).set_defect("a", "eth0", Defect(corruption=0.1))


def test_a_rate_is_told_to_the_nodes(deploy) -> None:
    lab = deploy(pair())
    lab.capability(LINKS).set_quality("a", "eth0", LinkQuality(rate_bps=1_000_000))
    assert lab.nodes["b"].line_rates == {"eth0": 1_000_000}


def test_a_stub_has_carrier_and_can_be_cut(deploy) -> None:
    task = network({"a": "linux"}, ["a eth0"], {"a": "ip address add 10.0.0.1/24 dev eth0\n"})
    lab = deploy(task)
    assert link_state(lab, "a", "eth0") == (True, True)
    lab.capability(LINKS).cut("a", "eth0")
    await_that(lambda: link_state(lab, "a", "eth0") == (True, False), lambda: "carrier is left")
    with pytest.raises(LabError, match="has one endpoint and carries no packets"):
        lab.capability(LINKS).set_quality("a", "eth0", DELAYED)


def test_large_frames_pass_if_the_nodes_allow_them(deploy) -> None:
    lab = deploy(pair())
    for node in ("a", "b"):
        lab.nodes[node].run(["ip", "link", "set", "eth0", "mtu", "9000"])
    done = lab.nodes["a"].run(["ping", "-c", "1", "-W", "10", "-M", "do", "-s", "8000", "10.0.0.2"])
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("node", "interface"), [("a", "eth9"), ("z", "eth0")])
def test_an_unknown_cable_is_an_error_that_says_what_is_known(deploy, node, interface) -> None:
    links = deploy(pair()).capability(LINKS)
    with pytest.raises(LabError, match=rf"no interface '{node} {interface}' with a link \(known: a eth0, b eth0\)"):
        links.cut(node, interface)


def neighbors(lab: Any, node: str) -> list[str]:
    answer = json.loads(lab.nodes[node].vty([("ospfd", "show ip ospf neighbor json")])[0][0])
    return [one.get("nbrState", one.get("state", "")) for found in answer["neighbors"].values() for one in found]


def is_full(lab: Any, node: str) -> bool:
    return any(state.startswith("Full") for state in neighbors(lab, node))


def test_ospf_drops_an_adjacency_at_both_ends_at_once_and_forms_it_again(deploy) -> None:
    lab = deploy(ospf_pair())
    links = lab.capability(LINKS)
    before = lab.driver("R1").running_config(lab.nodes["R1"])
    links.cut("R1", "eth0")
    for node in ("R1", "R2"):
        # long before the dead interval of 40 s
        await_that(lambda node=node: not neighbors(lab, node), lambda: "still a neighbor", within_s=30 / lab.time_scale)
        text = lab.nodes[node].vty([("zebra", "show interface eth0")])[0][0]
        assert "Interface eth0 is up, line protocol is down" in text
    assert lab.driver("R1").running_config(lab.nodes["R1"]) == before
    links.restore("R2", "eth0")
    for node in ("R1", "R2"):
        await_that(lambda node=node: is_full(lab, node), lambda node=node: neighbors(lab, node))


def test_ios_shows_the_line_protocol_down_at_both_ends(deploy) -> None:
    configs = {f"R{n}": f"interface Gi0/0\n ip address 10.0.0.{n} 255.255.255.0\n no shutdown\n" for n in (1, 2)}
    lab = deploy(ios_task(configs, ["R1 Gi0/0 - R2 Gi0/0"]))
    links = lab.capability(LINKS)
    links.cut("R1", "GigabitEthernet0/0")
    for node in ("R1", "R2"):
        expected = "GigabitEthernet0/0 is down, line protocol is down"
        await_that(
            lambda node=node, expected=expected: expected in show(lab.nodes[node], "show interfaces Gi0/0"),
            lambda node=node: show(lab.nodes[node], "show interfaces Gi0/0"),
        )
    links.restore("R2", "Gi0/0")
    await_that(
        lambda: "GigabitEthernet0/0 is up, line protocol is up" in show(lab.nodes["R1"], "show interfaces Gi0/0"),
        lambda: show(lab.nodes["R1"], "show interfaces Gi0/0"),
    )


# -- daemons -----------------------------------------------------------------------------------------------------------


def test_a_killed_daemon_is_gone_and_starts_again_with_its_configuration(deploy) -> None:
    lab = deploy(ospf_pair())
    daemons = lab.nodes["R1"].capability(DAEMONS)
    assert {"zebra", "ospfd"} <= set(daemons.running())
    daemons.kill("ospfd")
    assert "ospfd" not in daemons.running()
    await_that(lambda: not is_full(lab, "R2"), lambda: neighbors(lab, "R2"), within_s=20)  # the dead interval
    daemons.start("ospfd")
    assert "ospfd" in daemons.running()
    assert "network point-to-point" in lab.driver("R1").running_config(lab.nodes["R1"])
    await_that(lambda: is_full(lab, "R2"), lambda: neighbors(lab, "R2"), within_s=20)


def test_the_first_question_after_a_daemon_was_replaced_is_answered(deploy) -> None:
    lab = deploy(ospf_pair())
    node = lab.nodes["R2"]
    node.vty([("ospfd", "show version")])
    daemons = node.capability(DAEMONS)
    daemons.stop("ospfd")
    daemons.start("ospfd")
    assert "FRRouting" in node.vty([("ospfd", "show version")])[0][0]


def test_a_frozen_daemon_loses_its_neighbors_and_goes_on_when_resumed(deploy) -> None:
    lab = deploy(ospf_pair())
    daemons = lab.nodes["R1"].capability(DAEMONS)
    daemons.freeze("ospfd")
    await_that(lambda: not is_full(lab, "R2"), lambda: neighbors(lab, "R2"), within_s=20)
    assert "ospfd" in daemons.running()
    daemons.resume("ospfd")
    await_that(lambda: is_full(lab, "R2"), lambda: neighbors(lab, "R2"), within_s=20)


def test_a_daemon_is_configured_and_a_refused_line_is_named(deploy) -> None:
    lab = deploy(ospf_pair())
    daemons = lab.nodes["R1"].capability(DAEMONS)
    daemons.configure("ospfd", "interface eth0\n ip ospf cost 77\n")
    assert "ip ospf cost 77" in lab.nodes["R1"].vty([("ospfd", "show running-config")])[0][0]
    with pytest.raises(LabError, match="refused line 2: 'ip ospf costs 5'"):
        daemons.configure("ospfd", "interface eth0\n ip ospf costs 5\n")


def test_unknown_and_stopped_daemons_are_errors(deploy) -> None:
    lab = deploy(ospf_pair())
    daemons = lab.nodes["R1"].capability(DAEMONS)
    with pytest.raises(LabError, match=r"R1: there is no daemon 'ospf' \(known: .*ospfd"):
        daemons.kill("ospf")
    with pytest.raises(LabError, match="R1: bgpd does not run"):
        daemons.freeze("bgpd")
    with pytest.raises(LabError, match="R1: bgpd does not run"):
        daemons.configure("bgpd", "router bgp 1\n")


def test_logs_of_daemons_are_kept_outside_of_the_node(deploy) -> None:
    lab = deploy(ospf_pair())
    node = lab.nodes["R1"]
    before = lab.driver("R1").running_config(node)
    assert "log file" not in before
    assert "log stdout" not in before
    node.vty([("ospfd", "enable"), ("ospfd", "debug ospf nsm")])
    lab.capability(LINKS).cut("R1", "eth0")
    logs = node.capability(LOGS)
    await_that(lambda: "NSM[" in logs.log("ospfd"), lambda: logs.log("ospfd"))
    found = node.run(["grep", "-rl", "NSM\\[", "/var/log", "/run", "/tmp", "/etc"]).stdout
    assert found == ""
    with pytest.raises(LabError, match="no daemon 'bgpd' was started"):
        logs.log("bgpd")


def test_counters_are_by_the_names_of_the_topology(deploy) -> None:
    lab = deploy(pair())
    counters = lab.nodes["a"].capability(COUNTERS)
    before = counters.counters()["eth0"]
    assert reaches(lab, "a", "10.0.0.2")
    after = counters.counters()["eth0"]
    assert after.sent_packets > before.sent_packets
    assert after.received_bytes > before.received_bytes


def test_a_linux_node_has_no_daemons_to_control(deploy) -> None:
    with pytest.raises(RequirementMissing, match="'daemons'"):
        deploy(pair()).nodes["a"].capability(DAEMONS)


# -- reboot ------------------------------------------------------------------------------------------------------------


def test_a_rebooted_router_forgets_what_was_configured_and_comes_back(deploy) -> None:
    lab = deploy(ospf_pair())
    node, driver = lab.nodes["R1"], lab.driver("R1")
    before = driver.running_config(node)
    driver.apply(node, ["interface eth0", "ip ospf cost 99", "exit", "ip route 192.0.2.0/24 Null0"])
    lab.capability(NODES).reboot("R1")
    assert driver.running_config(node) == before
    for name in ("R1", "R2"):
        await_that(lambda name=name: is_full(lab, name), lambda name=name: neighbors(lab, name), within_s=30)
    assert "192.0.2.0" not in node.run(["ip", "route"]).stdout


def test_a_rebooted_host_has_its_addresses_and_nothing_else(deploy) -> None:
    lab = deploy(pair())
    node = lab.nodes["a"]
    node.run(["ip", "address", "add", "192.0.2.1/24", "dev", "eth0"])
    node.run(["nft", "add", "table", "ip", "junk"])
    lab.capability(NODES).reboot("a")
    assert "192.0.2.1" not in node.run(["ip", "address"]).stdout
    assert "junk" not in node.run(["nft", "list", "ruleset"]).stdout
    eventually_reaches(lab, "b", "10.0.0.1")
    with pytest.raises(LabError, match=r"there is no node 'z' \(known: a, b\)"):
        lab.capability(NODES).reboot("z")


def test_a_rebooted_ios_device_runs_its_startup_config(deploy) -> None:
    configs = {f"R{n}": f"interface Gi0/0\n ip address 10.0.0.{n} 255.255.255.0\n no shutdown\n" for n in (1, 2)}
    lab = deploy(ios_task(configs, ["R1 Gi0/0 - R2 Gi0/0"]))
    lab.driver("R1").apply(lab.nodes["R1"], ["hostname Other", "ip route 192.0.2.0 255.255.255.0 Null0"])
    lab.capability(NODES).reboot("R1")
    config = lab.driver("R1").running_config(lab.nodes["R1"])
    assert "hostname R1" in config
    assert "192.0.2.0" not in config
    eventually_reaches(lab, "R2", "10.0.0.1")


def test_a_command_line_that_gives_no_prompt_is_started_once_more(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ScrapliSession.__init__.__kwdefaults__, "open_timeout_s", 1.0)
    programs = iter([["/bin/cat"], ["/bin/sh", "-c", 'while printf "R1# "; read line; do echo "$line!"; done']])
    session_of = node_module._Session
    monkeypatch.setattr(
        node_module, "_Session", lambda channel, node, _, words: session_of(channel, node, next(programs), words)
    )
    session = lab.nodes["a"].cli(["/bin/sh"], definition=vtysh.DEFINITION, key="slow")
    assert next(programs, None) is None
    session.send("hello")
    assert session.prompt == "R1#"
    lab.nodes["a"].drop_cli("slow")


def test_a_program_that_never_gives_a_prompt_is_an_error(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ScrapliSession.__init__.__kwdefaults__, "open_timeout_s", 0.5)
    with pytest.raises(LabError, match=r"the command line did not come up within 0\.5 s"):
        lab.nodes["a"].cli(["/bin/cat"], definition=vtysh.DEFINITION, key="never")
