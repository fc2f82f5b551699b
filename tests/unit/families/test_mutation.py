"""Mutants of a ground truth: what each operator makes of a line, and that equal tasks give equal mutants."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_netbench.families.configure.addresses import address_variants
from pytest_netbench.families.configure.mutation import Mutant, mutants
from pytest_netbench.model.configure import Configure
from pytest_netbench.taskfile import load_task

TASKS = Path(__file__).parents[3] / "tasks"
HOSTS = ("10.1.2.1", "10.1.2.10", "10.9.0.20")


def payload(*lines: str, platform: str = "cisco_ios") -> Configure:
    names = ("eth1", "eth2") if platform != "cisco_ios" else ("GigabitEthernet0/0", "GigabitEthernet0/1")
    links = [{"endpoints": [{"node": "R", "interface": name}]} for name in names]
    return Configure.model_validate(
        {
            "platform": platform,
            "intents": [{"text": "x"}],
            "topology": {"nodes": [{"name": "R"}], "links": links},
            "startup_configs": {"R": "ip address 10.1.2.1 255.255.255.0"},
            "ground_truth_configs": {"R": lines},
        }
    )


def made(line: str, platform: str = "cisco_ios") -> set[tuple[str, str]]:
    """Operator and mutant, without what is added after the node's last line."""
    found = mutants(payload(line, "end of the list", platform=platform))
    return {(one.operator, one.mutant) for one in found if one.line == line}


@pytest.mark.parametrize(
    ("line", "operator", "mutant"),
    [
        ("ip access-group SERVERS in", "keyword", "ip access-group SERVERS out"),
        ("permit tcp any any eq 443", "keyword", "deny tcp any any eq 443"),
        ("permit tcp any any eq 443", "keyword", "permit udp any any eq 443"),
        ("permit tcp any any eq 443", "number", "permit tcp any any eq 444"),
        ("permit tcp any any eq 443", "number", "permit tcp any any eq 4430"),
        ("permit tcp any any eq 443", "range", "permit tcp any any range 443 65535"),
        ("permit tcp any any eq 443", "option", "permit tcp any any"),
        ("permit tcp any any eq 443", "protocol", "permit ip any any"),
        ("permit tcp any any eq 443", "extra permit", "permit ip any any / permit tcp any any eq 443"),
        ("permit tcp any any eq 443", "extra permit", "permit tcp any any eq 443 / permit ip any any"),
        ("permit ip host 10.1.2.1 host 10.9.0.20", "direction", "permit ip host 10.9.0.20 host 10.1.2.1"),
        ("permit ip host 10.1.2.1 host 10.9.0.20", "any", "permit ip any host 10.9.0.20"),
        ("permit ip host 10.1.2.1 any", "subnet for host", "permit ip 10.1.2.0 0.0.0.255 any"),
        ("permit ip 10.1.2.0 0.0.0.255 any", "host for subnet", "permit ip 10.1.2.1 0.0.0.0 any"),
        ("permit ip 10.1.2.0 0.0.0.255 any", "mask", "permit ip 10.1.2.0 0.0.0.127 any"),
        ("permit ip 10.1.2.0 0.0.0.255 any", "mask", "permit ip 10.1.2.0 0.0.1.255 any"),
        ("permit ip 10.1.2.0 0.0.0.255 any", "mask for wildcard", "permit ip 10.1.2.0 255.255.255.0 any"),
        ("permit ip 10.1.2.0 0.0.0.255 any", "address", "permit ip 10.1.3.0 0.0.0.255 any"),
        ("interface GigabitEthernet0/1", "interface", "interface GigabitEthernet0/0"),
        ("router bgp 65001", "number", "router bgp 65002"),
        ("router bgp 65001", "extra session", "router bgp 65001 / neighbor 192.0.2.99 remote-as 65099"),
        ("network 10.0.0.0 0.255.255.255 area 0", "number", "network 10.0.0.0 0.255.255.255 area 1"),
        ("ip ospf message-digest-key 5 md5 Lighthouse", "key", "ip ospf message-digest-key 5 md5 Lighthousex"),
        ("area 2 nssa no-summary", "option", "area 2 nssa"),
        ("default-information originate", "option", "default-information originate always"),
        ("shape average 200000", "number", "shape average 100000"),
        ("set community 64500:50", "number", "set community 64500:501"),
        ("ip verify unicast source reachable-via rx", "keyword", "ip verify unicast source reachable-via any"),
    ],
)  # fmt: skip
def test_an_operator_makes_this_of_a_line(line, operator, mutant):
    assert (operator, mutant) in made(line)


@pytest.mark.parametrize(
    ("line", "platform", "mutant"),
    [
        ("ip route 10.20.0.0/24 10.0.3.2 100", "frr", "ip route 10.20.0.0/23 10.0.3.2 100"),
        ("ip route 10.20.0.0/24 10.0.3.2 100", "frr", "ip route 10.20.0.0/24 10.0.3.2 1000"),
        ("redistribute ospf route-map OUT", "frr", "redistribute ospf"),
        ("nft add rule ip x in tcp dport 22 accept", "linux", "nft add rule ip x in tcp dport 22 drop"),
        ("ip link set eth1 up", "linux", "ip link set eth2 up"),
    ],
)  # fmt: skip
def test_other_languages_have_operators_of_their_own(line, platform, mutant):
    assert mutant in {text for _, text in made(line, platform)}


def test_a_number_that_anyone_may_choose_is_left_alone():
    assert not {one for one in made("router ospf 7") if one[0] == "number"}
    assert not {one for one in made("ip prefix-list OUT seq 5 permit any") if one[0] == "number"}


def test_small_changes_of_a_rate_are_not_made():
    assert "shape average 200001" not in {text for _, text in made("shape average 200000")}


def test_what_nobody_asked_for_is_added_after_the_last_line_of_a_node():
    found = [one for one in mutants(payload("hostname A", "hostname B")) if one.operator == "superfluous"]
    assert {one.index for one in found} == {1}
    assert any("ip access-list extended UNUSED" in one.lines for one in found)


def test_a_mutant_changes_one_line_and_keeps_the_others():
    mutant = Mutant(node="R", index=1, line="b", operator="x", lines=("b1", "b2"))
    assert mutant.configs({"R": ("a", "b", "c"), "S": ("d",)}) == {"R": ["a", "b1", "b2", "c"], "S": ["d"]}
    assert mutant.name == ("R", "b", "b1 / b2")


def test_no_mutant_is_the_truth_and_none_is_made_twice():
    for path in sorted(TASKS.glob("security/*.task.yaml")):
        truth = load_task(path).payload
        found = mutants(truth)
        plain = {node: [line.strip() for line in lines] for node, lines in truth.ground_truth_configs.items()}
        assert found
        assert all(one.configs(plain) != plain for one in found)
        assert len({(one.node, one.index, one.lines) for one in found}) == len(found)


def test_the_mutants_of_a_task_are_the_same_in_every_process():
    script = (
        "from pathlib import Path\nfrom pytest_netbench.taskfile import load_task\n"
        "from pytest_netbench.families.configure.mutation import mutants\n"
        f"task = load_task(Path({str(TASKS / 'security' / 'acl-object-groups.task.yaml')!r}))\n"
        "print([str(one) for one in mutants(task.payload)])"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


@pytest.mark.parametrize(
    "line",
    [
        "x 0.0.0.0/0",
        "x 255.255.255.255",
        "x 10.0.0.1/32",
        "x 0.0.0.0 255.255.255.255",
        "x 0.0.0.0 0.0.0.0",
        "x 1.2.3.999",
        "x 1.2.3.4 1.2.3.999",
        "x 10.0.0.0/33",
        "x 10.0.0.1 10.0.0.5",
        "x 255.255.255.255 255.255.255.255",
        "host 255.255.255.255",
    ],
)
def test_addresses_at_the_ends_of_their_space_vary_without_an_error(line):
    assert all(text != line for _, text in address_variants(line, HOSTS))
