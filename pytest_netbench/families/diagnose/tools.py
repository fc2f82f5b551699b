"""Answers the ANI methods that measure: the reachability of all hosts, the rate of one line, and the telemetry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.ani.unresponsive import await_answer
from pytest_netbench.errors import AniError
from pytest_netbench.families.diagnose import measuring
from pytest_netbench.families.diagnose.captures import Captures
from pytest_netbench.families.diagnose.pairs import Outcome, Pair, groups_of, pages_of, subnets_of
from pytest_netbench.families.diagnose.store import Store
from pytest_netbench.families.faulty.clusters import is_cluster
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.demand import Bursts
from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.model.objects import POD
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
        self._telemetry_spec = measuring.telemetry_spec_of(payload)
        groups = payload.flows
        addresses = {k: v for group in groups for k, v in group.targets.items()}
        configs = payload.startup_configs.values()
        is_one_network = is_cluster(payload)
        # a pod is reached at its own address, whatever it serves
        self._addresses: Mapping[str, str] = dict.fromkeys(addresses, POD) if is_one_network else addresses
        self._subnets = dict.fromkeys(addresses, "pods") if is_one_network else subnets_of(addresses, configs)
        topology = payload.topology
        visible = [node.name for node in topology.nodes if topology.controls[node.name] != "foreign"]
        pods = {node.name for node in topology.nodes if node.role == POD}
        self._captures = Captures(
            lab,
            {name: lab.nodes[name].interfaces if name in pods else topology.interfaces(name) for name in visible},
        )
        self._sources = payload.test_hosts or tuple(dict.fromkeys(name for group in groups for name in group.sources))
        # what arrives is counted where it arrives
        self._receivers = payload.test_hosts or tuple(self._addresses)
        self._tried: tuple[measuring.CheckReachabilityParams, dict[Pair, Outcome]] | None = None

    @property
    def methods(self) -> Sequence[FamilyMethod]:
        """What is offered to the agent."""
        return (
            FamilyMethod(
                spec=measuring.CHECK_REACHABILITY_SPEC,
                params=measuring.CheckReachabilityParams,
                answer=self._reachability,
            ),
            FamilyMethod(spec=measuring.MEASURE_RATE_SPEC, params=measuring.MeasureRateParams, answer=self._rate),
            FamilyMethod(spec=self._telemetry_spec, params=measuring.QueryTelemetryParams, answer=self._query),
            *([self._captures.method] if self._captures.nodes else []),
        )

    def _reachability(self, params: measuring.CheckReachabilityParams) -> measuring.CheckReachabilityResult:
        if (params.port is None) != (params.protocol == "icmp"):
            fix = "takes no port" if params.protocol == "icmp" else "needs a port"
            raise AniError(f"{measuring.CHECK_REACHABILITY}: {params.protocol} {fix}", code=Code.INVALID_PARAMS)
        for name, names in ((params.source, self._sources), (params.target, self._addresses)):
            if name is not None:
                self._known(measuring.CHECK_REACHABILITY, name, names)
        asked = params.model_copy(update={"page": 1})
        if params.page == 1 or self._tried is None or self._tried[0] != asked:
            self._tried = (asked, self._outcomes(asked))
        counts = Counter(self._tried[1].values())
        pages = pages_of(groups_of(self._tried[1], self._subnets))
        if params.page > len(pages):
            raise AniError(
                f"{measuring.CHECK_REACHABILITY}: there is no page {params.page}, only {len(pages)}",
                code=Code.INVALID_PARAMS,
            )
        return measuring.CheckReachabilityResult(
            tried=counts["reached"] + counts["no-answer"],
            reached=counts["reached"],
            failed=counts["no-answer"],
            own=counts["self"],
            groups=pages[params.page - 1],
            page=params.page,
            pages=len(pages),
        )

    def _outcomes(self, params: measuring.CheckReachabilityParams) -> dict[Pair, Outcome]:
        sources = self._sources if params.source is None else (params.source,)
        targets = self._addresses if params.target is None else (params.target,)
        pairs = [(one, other) for one in sources for other in targets if one != other]
        results = self._lab.prober.probe(
            [
                Probe(
                    source=one,
                    target=self._addresses[other],
                    protocol=params.protocol,
                    port=params.port,
                    listen_on=None if params.protocol == "icmp" else other,
                    arrives_at=(other,) if self._addresses[other] == POD else (),
                    timeout_s=_TIMEOUT_S,
                )
                for one, other in pairs
            ]
        )
        outcomes: dict[Pair, Outcome] = {
            pair: "reached" if result.delivered else "no-answer" for pair, result in zip(pairs, results, strict=True)
        }
        for source in dict.fromkeys(one for (one, _), outcome in outcomes.items() if outcome == "reached"):
            held = self._lab.prober.addresses(source)
            outcomes |= {(one, to): "self" for one, to in pairs if one == source and self._addresses[to] in held}
        return outcomes

    def _rate(self, params: measuring.MeasureRateParams) -> measuring.MeasureRateResult:
        self._known(measuring.MEASURE_RATE, params.source, self._sources)
        self._known(measuring.MEASURE_RATE, params.target, self._receivers)
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
    def _known(method: str, name: str, names: Mapping[str, str] | Sequence[str]) -> None:
        if name not in names:
            raise AniError(
                f"{method}: {name!r} is not one of the hosts that can be named here ({', '.join(names)})",
                code=Code.INVALID_PARAMS,
            )
