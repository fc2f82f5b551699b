"""The ANI methods of the family that measure, as agents see them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, Literal

from pydantic import Field

from pytest_netbench.ani.methods import spec_of
from pytest_netbench.ani.wire import Wire
from pytest_netbench.families.diagnose.pairs import Group
from pytest_netbench.families.diagnose.store import LONGEST_S, MOST_ROWS, OF_PROGRAMS, tables_of
from pytest_netbench.model.demand import MOST_AT_ONCE
from pytest_netbench.model.diagnosis import Diagnose, History
from pytest_netbench.model.monitoring import Monitoring
from pytest_netbench.model.trial import MethodSpec

CHECK_REACHABILITY: Final = "check-reachability"
MEASURE_RATE: Final = "measure-rate"
QUERY_TELEMETRY: Final = "query-telemetry"
CAPTURE_PACKETS: Final = "capture-packets"
MOST_PACKETS: Final = 200
LONGEST_CAPTURE_S: Final = 5.0
LONGEST_CAPTURE_LAB_S: Final = 600.0
MOST_BPS: Final = 10_000_000


class CheckReachabilityParams(Wire):
    """Parameters of ``check-reachability``."""

    protocol: Literal["icmp", "tcp", "udp"] = "icmp"
    port: int | None = Field(None, ge=1, le=65535, description="port of tcp and udp")
    source: str | None = Field(None, description="only pairs that this host sends in")
    target: str | None = Field(None, description="only pairs to this host")
    page: int = Field(1, ge=1, description="1 tries all pairs now; a later page is of the pairs that were tried last")


class CheckReachabilityResult(Wire):
    """Result of ``check-reachability``."""

    tried: int = Field(description="pairs of hosts, without those of `own`")
    reached: int = Field(description="those with an answer")
    failed: int = Field(description="those without one")
    own: int = Field(description="pairs whose source has the address of the target itself, so that nothing is sent")
    groups: tuple[Group, ...] = Field(
        description="the pairs of `failed` and `own`, each in one group; `any`: with each host of another subnet"
        " or of all, other than pairs of earlier groups"
    )
    page: int
    pages: int


class MeasureRateParams(Wire):
    """Parameters of ``measure-rate``."""

    source: str = Field(description="host that sends")
    target: str = Field(description="host that receives")
    rate_bps: int = Field(1_000_000, ge=10_000, le=MOST_BPS, description="bit/s that are sent")
    duration_s: float = Field(0.5, ge=0.2, le=3.0, description="seconds")
    burst_packets: int = Field(1, ge=1, le=MOST_AT_ONCE, description="packets sent at once; the rate is the mean")


class MeasureRateResult(Wire):
    """Result of ``measure-rate``."""

    offered_bps: float
    received_bps: float
    sent_packets: int
    received_packets: int
    mean_delay_ms: float | None
    stalled_s: float = Field(
        description="the longest time in which the sender did not run although it should have, because the machine"
        " under the network was busy; losses of as long a time say nothing of the network"
    )


class QueryTelemetryParams(Wire):
    """Parameters of ``query-telemetry``."""

    sql: str = Field(min_length=1, max_length=10_000, description="one SELECT in the SQL of SQLite")


class QueryTelemetryResult(Wire):
    """Result of ``query-telemetry``."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_cut: bool = Field(description="there are more rows than these")


class CapturePacketsParams(Wire):
    """Parameters of ``capture-packets``."""

    node: str
    interface: str
    filter: str = Field("", max_length=500, description="what is captured, in tcpdump's words; all without it")
    duration_s: float = Field(1.0, ge=0.2, le=LONGEST_CAPTURE_S, description="seconds at most")
    lab_s: float | None = Field(
        None, gt=0, le=LONGEST_CAPTURE_LAB_S, description="seconds of the network's own time at most, in their place"
    )
    packets: int = Field(50, ge=1, le=MOST_PACKETS, description="packets at most")
    pcap: bool = Field(False, description="return the capture as a pcap file, too")
    verbose: bool = Field(False, description="show the fields of IP headers, too: tos, ttl, id, length")


class CapturePacketsResult(Wire):
    """Result of ``capture-packets``."""

    packets: tuple[str, ...] = Field(description="a line for each packet, with seconds since the first one")
    is_cut: bool = Field(description="the lines are cut off")
    pcap: str | None = Field(None, description="the pcap file in base64, if it was asked for")


_EXACT: Final = (
    " A neighbor that a router no longer lists has no row from then on. Counters count from the start of a node."
)
_AVERAGED: Final = (
    " `averages` are what a monitoring system has of interfaces: of some, and of no more than one end of a link. A row"
    " is of at least {every_s:g} of the devices' seconds, of both directions together; rates are of the seconds of"
    " `time_s`, as those of flows are; `errors` are errors and drops."
    " Polls come too early or too late, so values are up to 15 % off, and some are missing. Nobody has looked after the"
    " names in it: a device may be there under its old name, and two interfaces under each other's. Measure before"
    " you trust a row."
)
_PROGRAMS: Final = (
    " `counters` are those of the programs of P4 switches: of an array of counters at the port `place`; of a table what"
    " its entries count, added, with no `place`. The counters of all switches are set to 0 at the same moment, once."
)
CHECK_REACHABILITY_SPEC: Final = spec_of(
    CHECK_REACHABILITY,
    "Try each pair of hosts with a real packet now, and once more if there is no answer: an ICMP echo, a TCP connection"
    " or a UDP packet to a port. Where nobody listens on the port, a listener is opened for the moment, so a port"
    " without a server is reached, too. Answers with counts, and with the pairs that failed in groups by what they"
    " share (source, target, subnet), in pages.",
    CheckReachabilityParams,
    CheckReachabilityResult,
)
MEASURE_RATE_SPEC: Final = spec_of(
    MEASURE_RATE,
    "Send UDP packets of 1000 bytes from one host to another at a rate, one by one or several at once, beside the"
    " traffic of the network, and count what is sent and what arrives in a stretch of time. One or two packets, or as"
    " many as a long queue holds, are sent in it and arrive after it, or the other way round.",
    MeasureRateParams,
    MeasureRateResult,
)
_SINCE: Final[Mapping[History, str]] = {
    "full": "since its connections worked, also before anything may have gone wrong",
    "short": "for some seconds before you began and since then. There are no samples from before anything may have gone"
    " wrong, and some others are missing, too",
    "none": "since you began. Some samples are missing",
}


def query_telemetry_spec(
    history: History, monitoring: Monitoring | None = None, platforms: Collection[str] = ()
) -> MethodSpec:
    """What agents are told of ``query-telemetry``."""
    tables = tables_of(platforms, is_averaged=monitoring is not None)
    schema = "; ".join(f"{name}({columns})" for name, columns in tables.items())
    of_programs = _PROGRAMS if OF_PROGRAMS in tables else ""
    of_interfaces = _EXACT if monitoring is None else _AVERAGED.format(every_s=monitoring.every_s)
    return spec_of(
        QUERY_TELEMETRY,
        f"Query what was measured of the network every half second {_SINCE[history]}. Tables: {schema}."
        " `time_s` are seconds of wall time since the traffic began, `lab_s` those of"
        " the devices' own timers. `stalled_ms`: for so long the sender did not run although it should have, because"
        " the machine under the network was busy; loss and lost sessions in such moments may have no other cause."
        " `requests` are those that hosts make to web servers, and pods of a cluster to its services, if they do."
        f"{of_interfaces}{of_programs} At most {MOST_ROWS} rows are shown, and a"
        f" query may take {LONGEST_S:g} s.",
        QueryTelemetryParams,
        QueryTelemetryResult,
    )


CAPTURE_PACKETS_SPEC: Final = spec_of(
    CAPTURE_PACKETS,
    "Capture packets that an interface sends and receives, for a moment, with tcpdump. What comes each 10 s of the"
    " network's time, such as hellos, is seen with `lab_s`: so many seconds of it pass while packets are captured.",
    CapturePacketsParams,
    CapturePacketsResult,
)
QUERY_TELEMETRY_SPEC: Final = query_telemetry_spec("full")
SPECS: Final = (CHECK_REACHABILITY_SPEC, MEASURE_RATE_SPEC, QUERY_TELEMETRY_SPEC, CAPTURE_PACKETS_SPEC)


def telemetry_spec_of(payload: Diagnose) -> MethodSpec:
    """What the agents of a task are told of ``query-telemetry``."""
    return query_telemetry_spec(payload.history, payload.monitoring, payload.platforms)


def specs_of(payload: Diagnose) -> tuple[MethodSpec, ...]:
    """The methods that measure a network, as its agents see them."""
    own = telemetry_spec_of(payload)
    without = {CAPTURE_PACKETS} if payload.monitored else set()
    return tuple(own if one.name == QUERY_TELEMETRY else one for one in SPECS if one.name not in without)
