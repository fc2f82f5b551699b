"""Compilation of OSPF for IPv6: one process, configured by ``ipv6 router ospf`` or by ``router ospfv3``."""

from __future__ import annotations

import pytest

from pytest_netbench.dialects.cisco_ios import CiscoIosDialect
from pytest_netbench.model.score import Score
from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from pytest_netbench.scorers.command import CommandScorer
from tests.support.ios import PaperDevice, Session, paper
from tests.support.records import configs_record

SIX = ("ipv6 unicast-routing",)
FOUR = "% OSPFv3: address family IPv4 is not supported on this device (router ospf carries IPv4)\n"
CLASSIC = """
ipv6 unicast-routing
interface gi0/0
 ipv6 address 2001:db8::1/64
 ipv6 ospf 1 area 0
 ipv6 ospf cost 7
 ipv6 ospf network point-to-point
interface gi0/1
 ipv6 ospf 1 area 2
 ipv6 ospf priority 9
ipv6 router ospf 1
 router-id 1.1.1.1
 auto-cost reference-bandwidth 10000
 passive-interface default
 no passive-interface gi0/0
 area 2 stub no-summary
 area 2 range 2001:db8:2::/48
 redistribute static metric 5
 summary-prefix 2001:db8:9::/48
 default-information originate always
 distance ospf external 120
 maximum-paths 2
"""
NEWER = """
ipv6 unicast-routing
interface gi0/0
 ipv6 address 2001:db8::1/64
 ospfv3 8 ipv6 area 0
 ospfv3 cost 3
 ospfv3 8 ipv6 cost 7
 ospfv3 8 cost 5
 ospfv3 network point-to-point
interface gi0/1
 ospfv3 8 ipv6 area 2
 ospfv3 priority 9
router ospfv3 8
 router-id 1.1.1.1
 auto-cost reference-bandwidth 10000
 area 2 stub no-summary
 address-family ipv6 unicast
  passive-interface default
  no passive-interface gi0/0
  area 2 range 2001:db8:2::/48
  redistribute static metric 5
  summary-prefix 2001:db8:9::/48
  default-information originate always
  distance ospf external 120
  maximum-paths 2
 exit-address-family
"""


def typed(text: str) -> PaperDevice:
    return paper(*text.strip().splitlines())


def asks_of_frr(device: PaperDevice) -> list[tuple[str, ...]]:
    plan = compile_state(device.grammar, device.config, device.facts)
    return sorted(line.path for line in plan.frr.of("ospf6d"))


def says(device: PaperDevice, *lines: str) -> str:
    """Return the device's output for the last of some lines."""
    session = Session(device)
    session.enter("configure terminal")
    return [session.enter(line) for line in lines][-1]


def shown(device: PaperDevice, opening: str) -> str:
    """Return a section of the running config with the line that opens it."""
    text = device.running_config()
    start = text.index(f"{opening}\n")
    return text[start : text.index("\n!\n", start) + 1]


def test_both_forms_ask_the_same_of_the_daemon():
    assert asks_of_frr(typed(CLASSIC)) == asks_of_frr(typed(NEWER))
    assert ("interface gi0-0", "ipv6 ospf6 cost 7") in asks_of_frr(typed(NEWER))
    assert ("interface gi0-1", "ipv6 ospf6 passive") in asks_of_frr(typed(NEWER))


def test_the_running_config_stands_as_ios_prints_it():
    device = paper(
        *SIX,
        "router ospfv3 1",
        "address-family ipv6",
        "redistribute connected",
        "passive-interface lo0",
        "exit-address-family",
        "area 101 stub",
        "router-id 1.1.1.1",
        "passive-interface gi0/1",
    )
    assert shown(device, "router ospfv3 1").splitlines() == [
        "router ospfv3 1",
        " router-id 1.1.1.1",
        " area 101 stub",
        " passive-interface GigabitEthernet0/1",
        " !",
        " address-family ipv6 unicast",
        "  redistribute connected",
        "  passive-interface Loopback0",
        " exit-address-family",
    ]


def test_an_empty_family_stands_behind_its_mark():
    device = paper(*SIX, "interface gi0/0", "ospfv3 1 ipv6 area 0")
    assert (
        shown(device, "router ospfv3 1") == "router ospfv3 1\n !\n address-family ipv6 unicast\n exit-address-family\n"
    )


@pytest.mark.parametrize("text", [CLASSIC, NEWER, NEWER.replace("ospfv3 8 ipv6 area", "ipv6 ospf 8 area")])
def test_a_saved_config_comes_back_byte_for_byte(text):
    saved = typed(text).running_config()
    again = paper(startup=saved)
    assert again.running_config() == saved
    assert asks_of_frr(again) == asks_of_frr(typed(text))


def test_lines_may_be_abbreviated_and_prompts_are_those_of_ios():
    device = paper(*SIX)
    session = Session(device)
    prompts = []
    for line in (
        "conf t",
        "router ospfv3 1",
        "passive def",
        "add ipv6 u",
        "red stat metric 5",
        "exit-a",
        "int g0/0",
        "ospfv3 1 ipv6 ar 0",
        "osp 1 ipv6 hello 3",
    ):
        assert not session.enter(line), line
        prompts.append(session.prompt)
    assert prompts[1:6] == [
        "R1(config-router)#",
        "R1(config-router)#",
        "R1(config-router-af)#",
        "R1(config-router-af)#",
        "R1(config-router)#",
    ]
    assert " ospfv3 1 ipv6 hello-interval 3\n" in device.running_config()


def test_the_order_of_words_of_older_releases_is_understood():
    device = paper(*SIX, "interface gi0/0", "ospfv3 1 area 4 ipv6 instance 2")
    assert " ospfv3 1 ipv6 area 4 instance 2\n" in device.running_config()
    assert says(device, "interface gi0/0", "no ospfv3 1 area 4 ipv6") == ""
    assert "ipv6 area" not in device.running_config()


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("router ospfv3 1", "address-family ipv4 unicast"), FOUR),
        (("interface gi0/0", "ospfv3 1 ipv4 area 0"), FOUR),
        (("interface gi0/0", "ospfv3 1 area 0 ipv4"), FOUR),
        (
            ("router ospfv3 1", "exit", "router ospfv3 2"),
            "% OSPFv3: process 1 runs already, and this device runs one process\n",
        ),
        (
            ("router ospfv3 1", "exit", "ipv6 router ospf 2"),
            "% OSPFv3: process 1 runs already, and this device runs one process\n",
        ),
        (
            ("router ospfv3 1", "interface gi0/0", "ipv6 ospf 2 area 0"),
            "% OSPFv3: process 1 runs already, and this device runs one process\n",
        ),
        (("router ospfv3 1", "exit", "ipv6 router ospf 1"), "% OSPFv3: process 1 is configured by router ospfv3 1\n"),
        (("router ospfv3 1", "area 0 stub"), "% OSPFv3: Backbone can not be configured as stub area\n"),
        (
            ("router ospfv3 1", "area 1 nssa", "address-family ipv6", "area 0.0.0.1 stub"),
            "% OSPFv3: Area is configured as nssa already\n",
        ),
        (
            ("router ospfv3 1", "address-family ipv6", "area 1 nssa", "exit", "area 1 stub"),
            "% OSPFv3: Area is configured as nssa already\n",
        ),
        (("no ipv6 unicast-routing", "router ospfv3 1"), "% IPv6 routing not enabled\n"),
        (("no ipv6 unicast-routing", "interface gi0/0", "ospfv3 1 ipv6 area 0"), "% IPv6 routing not enabled\n"),
    ],
)
def test_what_cannot_be_is_refused_in_words(lines, words):
    assert says(paper(*SIX), *lines) == words


@pytest.mark.parametrize(
    "line",
    [
        "redistribute static",
        "default-information originate",
        "maximum-paths 2",
        "distance 100",
        "summary-prefix 2001:db8::/32",
        "area 1 range 2001:db8::/32",
        "network 10.0.0.0 0.0.0.255 area 0",
    ],
)
def test_what_belongs_to_an_address_family_is_not_known_to_the_process(line):
    assert "% Invalid input detected" in says(paper(*SIX), "router ospfv3 1", line)


def test_what_the_family_says_goes_before_what_the_process_says():
    device = paper(
        *SIX,
        "interface gi0/0",
        "ospfv3 1 ipv6 area 0",
        "interface gi0/1",
        "ospfv3 1 ipv6 area 1",
        "router ospfv3 1",
        "router-id 1.1.1.1",
        "area 1 stub",
        "auto-cost reference-bandwidth 1000",
        "address-family ipv6",
        "router-id 2.2.2.2",
        "area 1 stub no-summary",
    )
    asked = asks_of_frr(device)
    assert ("router ospf6", "ospf6 router-id 2.2.2.2") in asked
    assert [path[1] for path in asked if path[-1].startswith("area ")] == ["area 0.0.0.1 stub no-summary"]
    assert ("interface gi0-0", "ipv6 ospf6 cost 1") in asked
    assert says(device, "router ospfv3 1", "address-family ipv6", "area 1 normal") == ""
    assert not any(path[-1].startswith("area ") for path in asks_of_frr(device))


def passive(device: PaperDevice) -> set[str]:
    return {path[0] for path in asks_of_frr(device) if path[-1] == "ipv6 ospf6 passive"}


def test_a_family_is_passive_as_its_process_is_except_where_it_says_otherwise():
    device = paper(
        *SIX,
        "interface gi0/0",
        "ospfv3 1 ipv6 area 0",
        "interface gi0/1",
        "ospfv3 1 ipv6 area 0",
        "router ospfv3 1",
        "router-id 1.1.1.1",
        "passive-interface default",
        "address-family ipv6",
        "no passive-interface gi0/0",
    )
    assert passive(device) == {"interface gi0-1"}
    assert paper(startup=device.running_config()).running_config() == device.running_config()
    assert says(device, "router ospfv3 1", "no passive-interface default") == ""
    assert passive(device) == set()
    assert "passive-interface" not in device.running_config()


def test_the_newer_form_takes_over_what_the_classic_one_said():
    device = typed(CLASSIC)
    before = asks_of_frr(device)
    assert says(device, "router ospfv3 1") == ""
    assert asks_of_frr(device) == before
    text = device.running_config()
    assert "ipv6 router ospf" not in text
    assert " ipv6 ospf 1 area 0\n" in text
    assert shown(device, "router ospfv3 1").splitlines()[:5] == [
        "router ospfv3 1",
        " router-id 1.1.1.1",
        " auto-cost reference-bandwidth 10000",
        " area 2 stub no-summary",
        " passive-interface default",
    ]
    assert paper(startup=text).running_config() == text


def test_on_an_interface_what_was_typed_last_holds_in_either_form():
    device = paper(
        *SIX, "interface gi0/0", "ipv6 ospf 1 area 0", "ipv6 ospf cost 5", "ospfv3 1 ipv6 area 3", "ospfv3 1 cost 6"
    )
    section = shown(device, "interface GigabitEthernet0/0")
    assert (
        " ospfv3 1 cost 6\n ospfv3 1 ipv6 area 3\n" in section or " ospfv3 1 ipv6 area 3\n ospfv3 1 cost 6\n" in section
    )
    assert "ipv6 ospf" not in section
    assert says(device, "interface gi0/0", "ipv6 ospf cost 9") == ""
    assert "ospfv3 1 cost" not in device.running_config()


@pytest.mark.parametrize("opening", ["router ospfv3 1", "ipv6 router ospf 1"])
def test_a_process_that_goes_takes_its_interfaces_along(opening):
    device = paper(*SIX, opening, "interface gi0/0", "ipv6 ospf 1 area 0", "ipv6 ospf cost 5")
    assert says(device, f"no {opening}") == ""
    assert "area 0" not in device.running_config()
    assert " ipv6 ospf cost 5\n" in device.running_config()
    assert asks_of_frr(device) == []


def test_an_address_family_that_goes_takes_its_interfaces_along():
    device = typed(NEWER)
    assert says(device, "router ospfv3 8", "no address-family ipv6 unicast") == ""
    assert "area 0" not in device.running_config()
    assert asks_of_frr(device) == []
    assert "router-id 1.1.1.1" in shown(device, "router ospfv3 8")


def test_an_option_of_a_redistribution_goes_alone():
    device = paper(
        *SIX,
        "router ospfv3 1",
        "address-family ipv6",
        "redistribute static metric 5 metric-type 1",
        "no redistribute static metric 5",
    )
    assert "  redistribute static metric-type 1\n" in device.running_config()


def score(truth: str, agent: str) -> Score:
    record = configs_record(
        initial=paper().running_config(), final=typed(agent).running_config(), truth=typed(truth).running_config()
    )
    return CommandScorer(dialects={"small": CiscoIosDialect()}).score(record)


def test_the_command_score_takes_both_forms_for_the_same():
    agent = NEWER.replace(" ospfv3 cost 3\n", "").replace(" ospfv3 8 cost 5\n", "")
    assert score(CLASSIC, agent).value == 1.0
    assert score(agent, CLASSIC).value == 1.0


def test_the_command_score_sees_what_is_missing_in_the_other_form():
    agent = NEWER.replace(" ospfv3 cost 3\n", "").replace(" ospfv3 8 cost 5\n", "")
    found = score(CLASSIC, agent.replace("  maximum-paths 2\n", "").replace("no-summary", ""))
    assert found.evidence["precision"] < 1.0
    assert found.evidence["recall"] < 1.0
