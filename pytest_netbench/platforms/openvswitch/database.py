"""Bridges, ports and controllers of a switch, read from its database in one request. ``describe`` is pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.access import NodeAccess
from pytest_netbench.platforms.capabilities import EXEC
from pytest_netbench.platforms.openvswitch.programs import SOCKET

_TABLES = ("Bridge", "Port", "Interface", "Controller")
_COMMAND = (
    "ovsdb-client",
    "transact",
    SOCKET,
    json.dumps(["Open_vSwitch", *({"op": "select", "table": name, "where": []} for name in _TABLES)]),
)
# what a person sets, beside what is shown in words of its own
_COLUMNS = ("fail_mode", "protocols", "other_config", "stp_enable", "mcast_snooping_enable")
_CONTROLLER = ("inactivity_probe", "max_backoff", "connection_mode", "controller_rate_limit")
# The switch notes every five seconds whether its controllers are connected, and at once if this interval changes.
_REFRESH = """
ovs-vsctl --no-wait set Open_vSwitch . other_config:stats-update-interval=5001
sleep 0.1
ovs-vsctl --no-wait remove Open_vSwitch . other_config stats-update-interval
"""


@dataclass(frozen=True, kw_only=True)
class Target:
    """A controller that a bridge connects to."""

    address: str
    is_connected: bool
    settings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Bridge:
    """A bridge: its settings, its ports with theirs, and its controllers, each in a fixed order."""

    name: str
    datapath: str
    settings: tuple[str, ...]
    ports: tuple[tuple[str, ...], ...]
    """Each the words of a line, e.g. ``("eth1", "ofport 1")``."""
    controllers: tuple[Target, ...]


def read(node: NodeAccess) -> list[Bridge]:
    """Return the bridges of a switch, by name.

    Raises:
        LabError: Its database does not answer.
    """
    done = node.capability(EXEC).run(_COMMAND)
    if done.returncode != 0:
        raise LabError(f"{node.name}: the database of Open vSwitch does not answer: {done.stderr.strip()}")
    return describe(json.loads(done.stdout))


def refresh(node: NodeAccess) -> None:
    """Let the switch note now whether its controllers are connected."""
    node.capability(EXEC).run(["/bin/sh", "-c", _REFRESH])


def describe(answers: Sequence[Mapping[str, Any]]) -> list[Bridge]:
    """Return the bridges in the rows of the four tables."""
    tables = {name: _by_id(answer["rows"]) for name, answer in zip(_TABLES, answers, strict=True)}
    bridges = [_bridge(row, tables) for row in tables["Bridge"].values()]
    return sorted(bridges, key=lambda one: one.name)


def _by_id(rows: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {row["_uuid"][1]: row for row in rows}


def _bridge(row: Mapping[str, Any], tables: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Bridge:
    ports = [tables["Port"][key] for key in _items(row["ports"])]
    targets = [tables["Controller"][key] for key in _items(row["controller"])]
    return Bridge(
        name=row["name"],
        datapath=row["datapath_type"],
        settings=tuple(_settings(row, _COLUMNS)),
        ports=tuple(
            (port["name"], *_port(port, tables["Interface"]))
            for port in sorted(ports, key=lambda one: str(one["name"]))
            if port["name"] != row["name"]
        ),
        controllers=tuple(
            Target(address=one["target"], is_connected=one["is_connected"], settings=tuple(_settings(one, _CONTROLLER)))
            for one in sorted(targets, key=lambda one: str(one["target"]))
        ),
    )


def _port(port: Mapping[str, Any], interfaces: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for word, column in (("tag", "tag"), ("trunks", "trunks"), ("vlan_mode", "vlan_mode")):
        if items := _items(port[column]):
            yield f"{word} {','.join(map(str, items))}"
    for key in _items(port["interfaces"]):
        for number in _items(interfaces[key]["ofport_request"]):
            yield f"ofport {number}"
        if interfaces[key]["type"]:
            yield f"type {interfaces[key]['type']}"


def _settings(row: Mapping[str, Any], columns: Sequence[str]) -> Iterator[str]:
    for column in columns:
        value = row.get(column)
        if isinstance(value, list) and value and value[0] == "map":
            yield from (f"{column}:{key} {one}" for key, one in sorted(value[1]))
        elif items := [one for one in _items(value) if one not in ("", False)]:
            yield f"{column} {','.join(map(str, items))}"


def _items(value: Any) -> list[Any]:
    """The items of a column: a set, one value, or none; of references only their key."""
    if isinstance(value, list) and len(value) == 2:
        if value[0] == "set":
            return [item for one in value[1] for item in _items(one)]
        if value[0] == "uuid":
            return [value[1]]
    return [] if value is None else [value]
