"""The state of ospfd, with IOS's names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.platforms.cisco_ios.areas.ospf.process import Member, Process, members, processes
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match

NO_ROUTER = UNSPECIFIED  # how IOS says that there is none; the backbone area, too
_STATES = {
    "2-Way": "2WAY",
    "Full": "FULL",
    "ExStart": "EXSTART",
    "Exchange": "EXCHANGE",
    "Loading": "LOADING",
    "Init": "INIT",
    "Down": "DOWN",
    "Attempt": "ATTEMPT",
}
_ROLES = {"DR": "DR", "Backup": "BDR", "DROther": "DROTHER", "-": "  -"}


@dataclass(frozen=True)
class Neighbor:
    """A neighbor of one process. Times in seconds of lab time."""

    router_id: str
    priority: int
    state: str
    role: str
    dead_s: float
    address: str
    interface: str
    area: str
    changes: int = 0
    dr: str = ""
    bdr: str = ""
    up_s: float = 0.0

    @property
    def is_full(self) -> bool:
        """Whether it is adjacent."""
        return self.state == "FULL"


@dataclass(frozen=True)
class Running:
    """A running process, with the state that FRR reports."""

    process: Process
    answer: Mapping[str, Any]
    members: tuple[Member, ...]
    interfaces: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    neighbors: tuple[Neighbor, ...] = ()

    @property
    def router_id(self) -> str:
        """Its router ID."""
        return str(self.answer.get("routerId", NO_ROUTER))

    def of(self, name: str) -> list[Neighbor]:
        """Return the neighbors on an interface."""
        return [one for one in self.neighbors if one.interface == name]


def running(at: Exec, match: Match | None = None) -> list[Running]:
    """Return the running processes, or the one that ``match`` names."""
    wanted = None if match is None else match.get("process")
    context = at.device.context()
    found = []
    for process in processes(context):
        if wanted is not None and process.number != wanted:
            continue
        vrf = f" vrf {process.vrf}" if process.vrf else ""
        answer = _of_vrf(at.ask_json("ospfd", f"show ip ospf{vrf} json"), process.vrf)
        if not answer:
            continue
        answers = _of_vrf(at.ask_json("ospfd", f"show ip ospf{vrf} interface json"), process.vrf).get("interfaces", {})
        found.append(
            Running(
                process=process,
                answer=answer,
                members=tuple(members(context, process)),
                interfaces={interfaces.from_kernel(name) or name: _flat(entry) for name, entry in answers.items()},
                neighbors=tuple(_neighbors(at, vrf, process.vrf)),
            )
        )
    return found


def _of_vrf(answer: Any, vrf: str) -> Mapping[str, Any]:
    if not isinstance(answer, Mapping):
        return {}
    inner = answer.get(vrf) if vrf else None
    return inner if isinstance(inner, Mapping) else answer


def _flat(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    nested = entry.get("interfaceIp")
    if isinstance(nested, Mapping) and nested:
        address, details = next(iter(nested.items()))
        return {**entry, "ipAddress": address, **details}
    return entry


def _neighbors(at: Exec, vrf: str, name: str) -> Iterator[Neighbor]:
    answer = _of_vrf(at.ask_json("ospfd", f"show ip ospf{vrf} neighbor detail json"), name)
    for router_id, entries in (answer.get("neighbors") or {}).items():
        for entry in entries if isinstance(entries, list) else [entries]:
            state, _, role = str(entry.get("nbrState", entry.get("state", ""))).partition("/")
            kernel = str(entry.get("ifaceName", "")).partition(":")[0]
            yield Neighbor(
                router_id=router_id,
                priority=int(entry.get("nbrPriority", 0)) if role != "-" else 0,
                state=_STATES.get(state, state.upper()),
                role=_ROLES.get(role, role.upper()),
                dead_s=float(entry.get("routerDeadIntervalTimerDueMsec", 0)) / 1000,
                address=str(entry.get("ifaceAddress", entry.get("address", ""))),
                interface=interfaces.from_kernel(kernel) or kernel.replace("VLINK", "OSPF_VL"),
                area=area_name(str(entry.get("areaId", NO_ROUTER)).split()[0]),
                changes=int(entry.get("stateChangeCounter", 0)),
                dr=str(entry.get("routerDesignatedId", NO_ROUTER)),
                bdr=str(entry.get("routerDesignatedBackupId", NO_ROUTER)),
                up_s=float(entry.get("lastPrgrsvChangeMsec", 0)) / 1000,
            )


def area_name(area: str) -> str:
    """Return an area as a number, if the number is small."""
    parts = [int(part) for part in area.split(".")] if area.count(".") == 3 else []
    return str(parts[2] * 256 + parts[3]) if parts and not any(parts[:2]) else area
