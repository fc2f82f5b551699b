"""The agent ``runbook-expert``."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_netbench.agents.baselines import LIST_RESOURCES, handed_in, needs_diagnosis, submitted
from pytest_netbench.agents.runbooks.cables import check_cables
from pytest_netbench.agents.runbooks.facts import End, Facts, Finding, gather
from pytest_netbench.agents.runbooks.hosts import check_hosts
from pytest_netbench.agents.runbooks.leases import check_leases, of_leases
from pytest_netbench.agents.runbooks.links import check_links
from pytest_netbench.agents.runbooks.nodes import check_nodes, of_detached
from pytest_netbench.agents.runbooks.policies import check_policies
from pytest_netbench.agents.runbooks.routing import check_routing
from pytest_netbench.agents.runbooks.services import BUFFERS, check_services
from pytest_netbench.agents.runbooks.tunnels import check_tunnels
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.model.diagnosis import RootCause
from pytest_netbench.model.trial import AgentInfo, Brief, Submission

RESERVE: Final = 2
FOR_PAGES: Final = 8
"""Calls that are kept for the resources that can be named, where they are more than one page."""
"""Calls that are kept: to hand in the diagnosis, and to say that the task is done."""
_LOOKS: Final = ("ip -j link show", "ip -j neighbor show nud permanent", f"cat {BUFFERS}")
"""What runbooks look at on each host, and what does not change meanwhile."""
_BETWEEN: Final = "--- next ---\n"


class Spent(Exception):
    """What is left of the budget is kept for the answer."""


class Thrift:
    """The methods of an interface, with one call for all that runbooks look at on a host.

    Args:
        ani: The interface.
        reserve: How many calls are kept for the answer.
    """

    def __init__(self, ani: Ani, reserve: int = RESERVE) -> None:
        self._ani = ani
        self._reserve = reserve
        self._seen: dict[str, Mapping[str, str]] = {}

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """As that of the interface.

        Raises:
            Spent: Only the calls for the answer are left.
        """
        if method == "execute-cmd" and params["command"] in _LOOKS:
            device = params["device"]
            if device not in self._seen:
                self._seen[device] = self._look(device)
            return {"output": self._seen[device][params["command"]]}
        return self._asked(method, params)

    def _look(self, device: str) -> Mapping[str, str]:
        command = f"; echo {_BETWEEN.strip()!r}; ".join(_LOOKS)
        output = str(self._asked("execute-cmd", {"device": device, "command": command})["output"])
        # what is missing of a long answer that was cut was not seen
        return dict.fromkeys(_LOOKS, "") | dict(zip(_LOOKS, output.split(_BETWEEN), strict=False))

    def _asked(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        left = self._ani.budget_left()["calls"]
        if left is not None and left <= self._reserve:
            raise Spent
        return self._ani.call(method, params)


NOTHING: Final = "Configs fit together, no cable loses packets: nothing is wrong."


class RunbookExpert:
    """Follows runbooks: compares configs with the brief and with each other, reads carrier, and counts packets.

    It answers with all that it finds, and with nothing else: symptoms without a cause in the runbooks are not named. It
    stops when only the calls for the answer are left of its budget.
    """

    name = "runbook-expert"

    @property
    def info(self) -> AgentInfo:
        return AgentInfo(id=self.name, strategy=self.name)

    def run(self, brief: Brief, ani: Ani) -> Submission:
        """Investigate and answer.

        Raises:
            AgentError: The task asks for no diagnosis.
        """
        needs_diagnosis(self.name, brief)
        facts, found = Facts(devices={}, links=(), addresses={}), []
        has_pages = LIST_RESOURCES in [method.name for method in brief.methods]
        thrifty: Any = Thrift(ani, RESERVE + FOR_PAGES * has_pages)
        with contextlib.suppress(Spent):
            facts = gather(brief, thrifty)
            for one in without_consequences(_by_runbooks(brief, facts, thrifty), brief, facts):
                found.append(one)  # noqa: PERF402  (what was found stays if the budget does not suffice)
        words = "\n".join(dict.fromkeys(one.words for one in found)) or NOTHING
        lists = submitted(words, ani)
        causes = tuple(dict.fromkeys(causes_of(facts, found, lists)))
        return Submission(reasoning=words, answer=handed_in(causes, brief, ani))


def without_consequences(found: Iterable[Finding], brief: Brief, facts: Facts) -> Iterator[Finding]:
    """Leave out what only follows from a cause that was found before."""
    explained: set[tuple[str, End]] = set()
    for one in found:
        if (one.fault_type, one.end) not in explained:
            yield one
            explained.update(of_leases(brief, facts, one))
            explained.update(of_detached(facts, one))


def _by_runbooks(brief: Brief, facts: Facts, ani: Ani) -> Iterator[Finding]:
    yield from check_leases(brief, facts, ani)
    yield from check_nodes(facts, ani)
    yield from check_hosts(facts, ani)
    yield from check_links(facts)
    yield from check_routing(facts)
    yield from check_policies(facts)
    yield from check_services(brief, facts, ani)
    yield from check_tunnels(brief, facts, ani)
    yield from check_cables(facts, ani)


def causes_of(facts: Facts, found: Sequence[Finding], lists: Mapping[str, Any]) -> Iterator[RootCause]:
    """Findings in the words of the lists; those that no list has are left out."""
    kinds = {one["name"]: one["named_by"] for one in lists["fault_types"]}
    known = set(lists["resources"])
    for one in found:
        resource = _resource(facts, one, kinds.get(one.fault_type))
        if resource in known:
            yield RootCause(resource_id=resource, fault_type=one.fault_type)


def _resource(facts: Facts, one: Finding, kind: str | None) -> str:
    node, interface = one.end
    if kind == "interface":
        return f"interface/{node}/{interface}"
    if kind == "link":
        ends = sorted(f"{end.node}:{end.interface}" for end in (one.end, *facts.others(one.end)))
        return "link/" + "--".join(ends)
    return f"node/{node}"
