"""The generator ``diagnose``: drawn networks in which something may be wrong."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pytest_netbench.errors import UsageError
from pytest_netbench.faults.evidence.network import observable_of
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.reasoning import evidence_of, reasoning, undisturbed
from pytest_netbench.generators.access import draw_test_hosts, logins_of, monitored_of, restricted
from pytest_netbench.generators.brownfield import Grown
from pytest_netbench.generators.claims import draw_claim
from pytest_netbench.generators.decoys import dark_flows, darkened, draw_decoys
from pytest_netbench.generators.demands import draw_demands
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.eligible import packages_of
from pytest_netbench.generators.faulty_draws import Broken, draw_broken
from pytest_netbench.generators.health import HEALTHY, is_healthy
from pytest_netbench.generators.levels import OFFERED, alike, budget_of, row_of
from pytest_netbench.generators.monitoring import draw_monitoring
from pytest_netbench.generators.networks import flow_groups, marked_flows
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.generators.reports import draw_report
from pytest_netbench.generators.timing import PERIOD_S, draw_schedules
from pytest_netbench.model.causes import causes_of
from pytest_netbench.model.decoys import Decoy
from pytest_netbench.model.diagnosis import Diagnose, ReportTruth, diagnose_of
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.topology import Topology

NAME: Final = "diagnose"
_OF_ONE_KIND: Final = 20
_OF_ONE_NETWORK: Final = 6
"""So often other test hosts are drawn before another network is, where draws are repeated by kind."""
MOST_DRAWS: Final = 50
"""With less access a draw is repeated if nothing shows a fault of it."""


def offered(faults: Sequence[str]) -> tuple[str, ...]:
    """What an agent chooses from: the faults that may be drawn, and those that come with them."""
    company = (one for one in (fault_of(name).company for name in faults) if one is not None)
    return tuple(dict.fromkeys((*faults, *company)))


def _report(
    broken: Broken, parameters: DiagnoseParameters, source: random.Random
) -> tuple[str | None, ReportTruth | None]:
    """The report of a network, and what is right of it, if it claims anything."""
    kind = parameters.reports
    if kind == "none":
        return None, None
    if kind == "operator":
        return draw_report(broken.network, [one.parameters["node"] for one in broken.faults], source), None
    injected = [(one.fault_type, one.nodes) for one in causes_of(broken.faults, broken.network.topology)]
    return draw_claim(broken.network, injected, parameters.faults, None if kind == "mixed" else kind, source)


def _is_by_kind(parameters: DiagnoseParameters) -> bool:
    """Whether a draw is repeated with a fault of the same kind, so that what few places show is drawn as often."""
    return parameters.access == "reports" or row_of(parameters.level) is not None


def _is_shown(broken: Broken, payload: Diagnose) -> bool:
    """Whether there is an observation of each fault that was drawn and that no other one disturbs, with this access."""
    views = undisturbed(broken.faults, payload.topology, observable_of(payload))
    return all(_is_told(evidence_of(one, view), payload) for one, view in zip(broken.faults, views, strict=True))


def _is_told(found: Sequence[Observation], payload: Diagnose) -> bool:
    """Whether observations show a fault, and without a login also where: telemetry has counters of the place."""
    return bool(found) and (not payload.monitored or any(one.method == "query-telemetry" for one in found))


class _Chosen(NamedTuple):
    """What was drawn of a network: its faults, its configurations, its decoys, and which test hosts it has."""

    broken: Broken
    grown: Grown
    decoys: tuple[Decoy, ...] = ()
    turn: int = 0


class DiagnoseGenerator:
    """Networks of FRR or IOS routers and switches with one to three faults, or none."""

    name = NAME
    parameters = DiagnoseParameters
    begins = "Diagnose"

    def draw(self, parameters: DiagnoseParameters, *, seed: int, index: int) -> Task:
        source = random_of(self.name, seed=seed, index=index)
        firsts: tuple[str, ...] = ()
        for attempt in range(MOST_DRAWS):
            # a healthy network is drawn like any other, so that nothing but the faults tells the difference
            broken = draw_broken(self.name, parameters, source, firsts=firsts)
            drawn = self._with_decoys(broken, parameters, seed=seed, index=index)
            for turn in range(_OF_ONE_NETWORK if _is_by_kind(parameters) else 1):
                task = self._task(drawn._replace(turn=turn), parameters, seed=seed, index=index)
                if parameters.access == "all" or _is_shown(broken, diagnose_of(task)):
                    if parameters.config == "lean":
                        return task
                    grown = drawn.broken.overgrown(random_of(f"{self.name} config", seed=seed, index=index))
                    return self._task(drawn._replace(turn=turn, grown=grown), parameters, seed=seed, index=index)
            firsts = (broken.first,) if _is_by_kind(parameters) and attempt < _OF_ONE_KIND else ()
        named = ", ".join(dict.fromkeys(one.fault for one in broken.faults))
        raise UsageError(f"{self.name}: with access={parameters.access} nothing shows {named}")

    def _with_decoys(self, broken: Broken, parameters: DiagnoseParameters, *, seed: int, index: int) -> _Chosen:
        if parameters.decoys == "none":
            return _Chosen(broken, Grown(broken.network, None))
        source = random_of(f"{self.name} decoys", seed=seed, index=index)
        decoys = draw_decoys(broken.network, broken.faults, source, has_logins=parameters.access != "reports")
        broken = broken._replace(network=darkened(broken.network, decoys))
        return _Chosen(broken, Grown(broken.network, None), decoys)

    def _task(self, chosen: _Chosen, parameters: DiagnoseParameters, *, seed: int, index: int) -> Task:
        broken, grown, decoys, turn = chosen
        source = random_of(f"{self.name} traffic", seed=seed, index=index)
        demands = draw_demands(broken.network, parameters.traffic, source)
        browsing = {"seed": source.getrandbits(32)} if parameters.traffic == "web" else None
        marked = marked_flows(broken.network)
        nothing_wrong = parameters.given == "nothing" and is_healthy(
            self.name, parameters.healthy, seed=seed, index=index
        )
        faults = [] if nothing_wrong else broken.faults
        if parameters.timing == "drawn":
            faults = draw_schedules(faults, random_of(f"{self.name} timing", seed=seed, index=index))
        network, design = grown
        report, truth = _report(broken, parameters, random_of(f"{self.name} report", seed=seed, index=index))
        test_hosts = draw_test_hosts(
            network, parameters.access, demands, random_of(f"{self.name} access{turn or ''}", seed=seed, index=index)
        )
        logins = logins_of(network, parameters.access)
        monitored = {}
        if parameters.monitoring == "averages":
            polls = random_of(f"{self.name} monitoring", seed=seed, index=index)
            monitored = {"monitoring": draw_monitoring(network, logins, polls)}
        row = row_of(parameters.level)
        drawn = Drawn(
            generator=self.name,
            parameters=parameters.model_dump(mode="json"),
            seed=seed,
            index=index,
            scenario=network.shape,
            label=HEALTHY if nothing_wrong else broken.label,
            packages=packages_of(parameters.faults),
            level=max(1, len(faults)) if row is None else parameters.level.low,
        )
        return Task.model_validate(
            {
                "task_name": f"{self.begins} a network of shape {network.shape} with {network.routing} routing",
                "slug": drawn.slug,
                "family": self.name,
                "domain": "routing",
                "drawn": drawn,
                **network.fields(),
                "topology": restricted(self.controlled(network.topology), logins),
                "test_hosts": test_hosts,
                "monitored": monitored_of(network, parameters.access),
                **self.further(parameters),
                "history": parameters.history,
                **({"period_s": PERIOD_S} if parameters.timing == "drawn" else {}),
                **monitored,
                "design": design,
                "decoys": decoys,
                "flows": (*flow_groups(network), *dark_flows(network)),
                "demands": demands,
                **({"browsing": browsing} if browsing else {}),
                **({"marked": marked} if marked else {}),
                "faults": faults,
                **({"masked": True} if parameters.pairs == "masked" and faults else {}),
                "fault_types": offered(parameters.faults if row is None else (*parameters.faults, *OFFERED)),
                **(
                    {}
                    if row is None
                    else {
                        "types_known": True,
                        "budget": budget_of(row, network.topology),
                        "equals": tuple(alike(causes_of(faults, network.topology))),
                    }
                ),
                "report": report,
                "report_truth": truth,
                "given": parameters.given,
                "ground_truth_reasoning": reasoning(faults) if faults else "Nothing is wrong in this network.",
            }
        )

    def further(self, parameters: Any) -> dict[str, Any]:  # for who has some
        """Fields of a task that another generator adds."""
        return {}

    def controlled(self, topology: Topology) -> Topology:
        """The topology with nodes that can be looked at and not changed."""
        nodes = (
            node.model_copy(update={"control": "observed"}) if node.control == "managed" else node
            for node in topology.nodes
        )
        return topology.model_copy(update={"nodes": tuple(nodes)})
