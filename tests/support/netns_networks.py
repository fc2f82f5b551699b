"""Small networks for labs of the netns backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_netbench.model.task import Task


def network(
    nodes: Mapping[str, str],
    links: Sequence[str | tuple[str, Mapping[str, Any]]],
    configs: Mapping[str, str],
    control: Mapping[str, str] | None = None,
    **fields: Any,
) -> Task:
    """A task of nodes (name to platform), links (``"a eth0 - b eth0"``, optionally with a quality) and configs.

    ``control`` is that of nodes that are not managed.
    """
    controls = control or {}
    return Task.model_validate(
        {
            "task_name": "lab",
            "slug": "lab",
            "platform": "linux",
            "intents": [{"text": "none"}],
            "topology": {
                "nodes": [
                    {"name": name, "platform": platform, "control": controls.get(name, "managed")}
                    for name, platform in nodes.items()
                ],
                "links": [_link(link) if isinstance(link, str) else _link(*link) for link in links],
            },
            "startup_configs": dict(configs),
            **fields,
        }
    )


def _link(text: str, quality: Mapping[str, Any] | None = None) -> dict[str, Any]:
    ends = [dict(zip(("node", "interface"), end.split(), strict=True)) for end in text.split(" - ")]
    return {"endpoints": ends, "quality": dict(quality or {})}


def pair(quality: Mapping[str, Any] | None = None, **fields: Any) -> Task:
    """a - b: two Linux nodes on one cable, 10.0.0.1 and 10.0.0.2, 2001:db8::1 and ::2."""
    configs = {
        name: f"ip address add 10.0.0.{n}/24 dev eth0\nip address add 2001:db8::{n}/64 dev eth0 nodad\n"
        for n, name in enumerate(("a", "b"), start=1)
    }
    return network({"a": "linux", "b": "linux"}, [("a eth0 - b eth0", quality or {})], configs, **fields)


def routed(**fields: Any) -> Task:
    """h1 - r - h2: a Linux router between two hosts, 10.1.0.10 and 10.2.0.10, 2001:db8:1::10 and 2001:db8:2::10."""
    configs = {
        "r": (
            "sysctl -w net.ipv4.ip_forward=1\nsysctl -w net.ipv6.conf.all.forwarding=1\n"
            "ip address add 10.1.0.1/24 dev eth0\nip address add 10.2.0.1/24 dev eth1\n"
            "ip address add 2001:db8:1::1/64 dev eth0 nodad\nip address add 2001:db8:2::1/64 dev eth1 nodad\n"
        ),
        **{
            f"h{n}": (
                f"ip address add 10.{n}.0.10/24 dev eth0\nip route add default via 10.{n}.0.1\n"
                f"ip address add 2001:db8:{n}::10/64 dev eth0 nodad\nip route add default via 2001:db8:{n}::1\n"
            )
            for n in (1, 2)
        },
    }
    nodes = dict.fromkeys(("r", "h1", "h2"), "linux")
    return network(nodes, ["r eth0 - h1 eth0", "r eth1 - h2 eth0"], configs, **fields)


def ospf_pair(**fields: Any) -> Task:
    """R1 - R2, two FRR routers with OSPF on eth0 and a loopback network each."""
    configs = {
        f"R{n}": (
            f"interface eth0\n ip address 10.0.12.{n}/30\n ip ospf area 0\n ip ospf network point-to-point\nexit\n"
            f"interface lo\n ip address 10.0.255.{n}/32\n ip ospf area 0\nexit\n"
            f"router ospf\n ospf router-id {n}.{n}.{n}.{n}\nexit\n"
        )
        for n in (1, 2)
    }
    return network({"R1": "frr", "R2": "frr"}, ["R1 eth0 - R2 eth0"], configs, **fields)
