"""Which flows and routes a selector of the reference behaviour selects."""

from __future__ import annotations

import pytest

from pytest_netbench.model.reference import ReferenceFlow, Selector

ADDRESSES = {"pc": ["10.1.0.5", "2001:db8::5"], "web": ["10.2.0.8"], "gw": ["10.1.0.1", "10.2.0.1"]}


def flow(**fields):
    return ReferenceFlow(**({"source": "pc", "target": "10.2.0.8", "target_node": "web"} | fields))


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        ({}, True),
        ({"from": "pc", "to": "web"}, True),
        ({"from": "web", "to": "pc"}, False),
        ({"from": "web", "to": "pc", "both_ways": True}, True),
        ({"from": "10.1.0.0/24"}, True),
        ({"from": "10.1.0.6"}, False),
        ({"from": ["10.9.0.0/16", "2001:db8::/32"]}, True),
        ({"to": "10.2.0.8"}, True),
        ({"to": "10.2.0.0/29"}, False),
        ({"to": "not 10.2.0.0/24"}, False),
        ({"to": "not 10.2.0.9"}, True),
        ({"to": ["not web", "10.2.0.8"]}, True),
        ({"from": "not pc"}, False),
        ({"sent_by": "pc"}, True),
        ({"sent_by": ["gw", "web"]}, False),
        ({"sent_by": "web", "to": "pc", "both_ways": True}, False),
        ({"protocol": "tcp", "ports": 443}, True),
        ({"protocol": "udp"}, False),
        ({"ports": ["1-442", "444-65535"]}, False),
        ({"dscp": 0}, True),
        ({"dscp": 46}, False),
        ({"under": "cut"}, False),
        ({"routes": "pc 0.0.0.0/0"}, False),
    ],
)
def test_a_flow_is_selected_if_every_given_field_fits(selector, selected):
    tried = flow(protocol="tcp", port=443)
    assert Selector.model_validate(selector).matches(tried, ADDRESSES) is selected


@pytest.mark.parametrize(
    ("selector", "pod", "service"),
    [
        ({"from": "portal", "to": "ledger"}, True, True),
        ({"to": ["not ledger"]}, False, False),
        ({"from": "not ledger", "to": "not portal"}, True, True),
        ({"to": "10.96.0.0/16"}, False, True),
        ({"to": "not 10.96.0.0/16"}, True, False),
        ({"from": "10.96.0.0/16"}, False, False),
    ],
)
def test_flows_between_pods_are_selected_by_name_and_those_to_services_also_by_address(selector, pod, service):
    to_pod = flow(source="portal", target="pod", target_node="ledger")
    to_service = flow(source="portal", target="10.96.12.5", target_node="ledger")
    chosen = Selector.model_validate(selector)
    assert (chosen.matches(to_pod, {}), chosen.matches(to_service, {})) == (pod, service)


def test_an_event_is_named_or_all_are_meant():
    assert Selector(under="cut").matches(flow(), ADDRESSES, "cut")
    assert not Selector(under="cut").matches(flow(), ADDRESSES, "other")
    assert Selector().matches(flow(), ADDRESSES, "cut")


def test_a_node_selects_what_it_spoofs_and_what_is_sent_in_its_name():
    spoofed = flow(source="pc", source_address="10.2.0.8", target="10.1.0.1", target_node="gw")
    assert Selector(source=("pc",)).matches(spoofed, ADDRESSES)
    assert Selector(source=("web",)).matches(spoofed, ADDRESSES)
    assert not Selector(source=("gw",)).matches(spoofed, ADDRESSES)
    assert not Selector(source=("10.1.0.0/24",)).matches(spoofed, ADDRESSES)


def test_what_a_node_sends_with_sources_of_others_is_selected_by_sender_and_source():
    spoofed = Selector.model_validate({"sent_by": "pc", "from": "not 10.1.0.0/24"})
    assert spoofed.matches(flow(source_address="192.0.2.9"), ADDRESSES)
    assert not spoofed.matches(flow(source_address="10.1.0.77"), ADDRESSES)
    assert not spoofed.matches(flow(source="gw", source_address="192.0.2.9"), ADDRESSES)


def test_a_route_is_selected_with_the_longer_ones():
    wanted = Selector(routes="gw 10.0.0.0/8")
    assert wanted.matches_route("gw", "10.3.0.0/16")
    assert wanted.matches_route("gw", "10.0.0.0/8")
    assert not wanted.matches_route("gw", "0.0.0.0/0")
    assert not wanted.matches_route("gw", "2001:db8::/32")
    assert not wanted.matches_route("pc", "10.3.0.0/16")
    assert Selector(routes="any ::/0").matches_route("pc", "2001:db8::/32")
    assert not Selector().matches_route("gw", "10.3.0.0/16")


def test_a_flow_reads_like_a_sentence():
    assert str(flow(protocol="tcp", port=443, source_address="10.1.0.9", dscp=46)) == (
        "pc (10.1.0.9) -> 10.2.0.8 (web) tcp/443 dscp 46"
    )
