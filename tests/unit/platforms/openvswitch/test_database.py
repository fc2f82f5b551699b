"""Bridges of a switch in the rows that its database answers with."""

from __future__ import annotations

from typing import Any

from pytest_netbench.platforms.openvswitch.database import Bridge, Target, describe

NONE: list[Any] = ["set", []]
MAP: list[Any] = ["map", []]


def row(key: str, **columns: Any) -> dict[str, Any]:
    return {"_uuid": ["uuid", key], **columns}


def interface(key: str, number: Any = NONE, kind: str = "") -> dict[str, Any]:
    return row(key, ofport_request=number, type=kind)


def port(key: str, name: str, interfaces: Any, tag: Any = NONE) -> dict[str, Any]:
    return row(key, name=name, interfaces=interfaces, tag=tag, trunks=NONE, vlan_mode=NONE)


ANSWERS = [
    {
        "rows": [
            row(
                "b",
                name="br0",
                datapath_type="dummy",
                fail_mode="secure",
                protocols=["set", ["OpenFlow10", "OpenFlow13"]],
                other_config=["map", [["datapath-id", "0000000000000003"]]],
                stp_enable=False,
                ports=["set", [["uuid", "p1"], ["uuid", "p0"], ["uuid", "p2"]]],
                controller=["uuid", "c"],
            )
        ]
    },
    {
        "rows": [
            port("p0", "br0", ["uuid", "i0"]),
            port("p2", "eth2", ["uuid", "i2"], 5),
            port("p1", "eth1", ["uuid", "i1"]),
        ]
    },
    {"rows": [interface("i0", kind="internal"), interface("i1", 1), interface("i2", 2)]},
    {"rows": [row("c", target="tcp:10.0.0.1:6653", is_connected=True, max_backoff=1000, inactivity_probe=NONE)]},
]


def test_a_bridge_has_what_a_person_set():
    assert describe(ANSWERS) == [
        Bridge(
            name="br0",
            datapath="dummy",
            settings=(
                "fail_mode secure",
                "protocols OpenFlow10,OpenFlow13",
                "other_config:datapath-id 0000000000000003",
            ),
            ports=(("eth1", "ofport 1"), ("eth2", "tag 5", "ofport 2")),
            controllers=(Target(address="tcp:10.0.0.1:6653", is_connected=True, settings=("max_backoff 1000",)),),
        )
    ]


def test_a_switch_without_bridges_has_none():
    assert describe([{"rows": []}] * 4) == []
