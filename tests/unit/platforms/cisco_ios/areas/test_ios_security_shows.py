"""ntc-templates parse the show commands of filters, translation and zones, also without any configuration."""

from __future__ import annotations

import pytest
from ntc_templates.parse import parse_output

from tests.support.ios import Session, paper

SILENT = (
    "show access-lists",
    "show ip access-lists",
    "show ipv6 access-list",
    "show time-range",
    "show object-group",
    "show zone-pair security",
    "show policy-map type inspect zone-pair",
    "show policy-map type inspect zone-pair sessions",
)


def shown(device, command):
    return Session(device).enter(command)


@pytest.mark.parametrize("command", SILENT)
def test_where_nothing_is_configured_nothing_is_shown(command):
    assert shown(paper(), command) == ""


def test_the_zone_of_the_router_itself_is_always_there():
    assert shown(paper(), "show zone security") == "zone self\n  Description: System defined zone\n"


def test_object_groups_are_read_by_the_template():
    device = paper(
        "object-group network NET",
        "description of ours",
        "host 10.0.0.1",
        "10.1.0.0 255.255.0.0",
        "range 10.2.0.1 10.2.0.9",
        "object-group network ALL",
        "group-object NET",
        "object-group service WEB",
        "tcp eq www",
        "udp range 5000 5010",
        "icmp echo",
        "tcp",
    )
    rows = parse_output(platform="cisco_ios", command="show object-group", data=shown(device, "show object-group"))
    members = [
        row
        for row in rows
        if any(row[key] for key in ("host", "network", "host_range_start", "nested_groups", "protocol", "icmp_type"))
    ]
    assert [(row["type"], row["name"]) for row in members] == [("Network", "NET")] * 3 + [("Network", "ALL")] + [
        ("Service", "WEB")
    ] * 4
    assert (members[0]["host"], members[1]["netmask"], members[2]["host_range_end"]) == (
        "10.0.0.1",
        "255.255.0.0",
        "10.2.0.9",
    )
    assert members[3]["nested_groups"] == "NET"
    assert (members[4]["port"], members[5]["port_range_end"], members[6]["icmp_type"]) == ("www", "5010", "echo")
    assert any(row["description"] == "of ours" for row in rows)


def test_one_object_group_can_be_shown_alone():
    device = paper("object-group network A", "host 1.1.1.1", "object-group network B", "host 2.2.2.2")
    assert shown(device, "show object-group B") == "Network object group B\n host 2.2.2.2\n"
    assert shown(device, "show object-group name A") == "Network object group A\n host 1.1.1.1\n"
