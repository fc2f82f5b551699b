"""Answers the ANI methods that measure: the reachability of all hosts, the rate of one line, and the telemetry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_netbench.ani.own import OwnMethod
from pytest_netbench.ani.silence import await_answer
from pytest_netbench.errors import AniError
from pytest_netbench.families.diagnose import measuring
from pytest_netbench.families.diagnose.captures import Captures
from pytest_netbench.families.diagnose.store import Store
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.demand import Bursts
from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.rpccodes import Code

_PORT: Final = 5201
_TIMEOUT_S: Final = 0.5


class Tools:
    """Answers the methods on a running network.

    Args:
        lab: The network.
        payload: Says which hosts there are, and at which addresses they are reached.
        store: What was measured.
    """

    def __init__(self, lab: Lab, payload: Diagnose, store: Store) -> None:
        self._lab = lab
        self._store = store
        groups = payload.flows
        self._addresses: Mapping[str, str] = {k: v for group in groups for k, v in group.targets.items()}
        topology = payload.topology
        visible = [node.name for node in topology.nodes if topology.controls[node.name] != "foreign"]
        self._captures = Captures(lab, {name: tuple(topology.interfaces(name)) for name in visible})
        self._sources = tuple(dict.fromkeys(name for group in groups for name in group.sources))

    @property
    def methods(self) -> Sequence[OwnMethod]:
        """What is offered to the agent."""
        return (
            OwnMethod(
                spec=measuring.CHECK_REACHABILITY_SPEC,
                params=measuring.CheckReachabilityParams,
                answer=self._reachability,
            ),
            OwnMethod(spec=measuring.MEASURE_RATE_SPEC, params=measuring.MeasureRateParams, answer=self._rate),
            OwnMethod(spec=measuring.QUERY_TELEMETRY_SPEC, params=measuring.QueryTelemetryParams, answer=self._query),
            self._captures.method,
        )

    def _reachability(self, params: measuring.CheckReachabilityParams) -> measuring.CheckReachabilityResult:
        if (params.port is None) != (params.protocol == "icmp"):
            fix = "takes no port" if params.protocol == "icmp" else "needs a port"
            raise AniError(f"{measuring.CHECK_REACHABILITY}: {params.protocol} {fix}", code=Code.INVALID_PARAMS)
        pairs = [(one, other) for one in self._sources for other in self._addresses if one != other]
        probes = [
            Probe(
                source=one,
                target=self._addresses[other],
                protocol=params.protocol,
                port=params.port,
                listen_on=None if params.protocol == "icmp" else other,
                timeout_s=_TIMEOUT_S,
            )
            for one, other in pairs
        ]
        results = self._lab.prober.probe(probes)
        return measuring.CheckReachabilityResult(
            pairs=tuple(
                measuring.Pair(source=one, target=other, reaches=result.delivered)
                for (one, other), result in zip(pairs, results, strict=True)
            )
        )

    def _rate(self, params: measuring.MeasureRateParams) -> measuring.MeasureRateResult:
        self._known(params.source, self._sources)
        self._known(params.target, self._addresses)
        await_answer(self._lab, params.source, measuring.MEASURE_RATE)
        flow = Bursts.model_validate(
            {
                "from": params.source,
                "to": params.target,
                "port": _PORT,
                "rate_bps": params.rate_bps,
                "burst_packets": params.burst_packets,
            }
        )
        address = self._addresses[params.target]
        (report,) = self._lab.prober.traffic([flow], [address], duration_s=params.duration_s)
        return measuring.MeasureRateResult(**vars(report))

    def _query(self, params: measuring.QueryTelemetryParams) -> measuring.QueryTelemetryResult:
        try:
            found = self._store.query(params.sql)
        except ValueError as error:
            raise AniError(f"{measuring.QUERY_TELEMETRY}: {error}", code=Code.INVALID_PARAMS) from None
        return measuring.QueryTelemetryResult(**found._asdict())

    @staticmethod
    def _known(name: str, names: Mapping[str, str] | Sequence[str]) -> None:
        if name not in names:
            raise AniError(
                f"{measuring.MEASURE_RATE}: {name!r} is not one of the hosts ({', '.join(names)})",
                code=Code.INVALID_PARAMS,
            )
