"""What of a record decides why its trial failed. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_netbench.model.causes import Cause, decoy_resources
from pytest_netbench.model.diagnosis import Diagnose, Diagnosis, RootCause
from pytest_netbench.model.faulty import Faulty
from pytest_netbench.model.payload import Networked
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.process.requests import Request, requests_of
from pytest_netbench.process.sightings import Known, causes_shown
from pytest_netbench.scorers.causes import canonical, compared, fits
from pytest_netbench.scorers.diagnosis import given_answer


@dataclass(frozen=True)
class Findings:
    """What a record tells, each thing computed when it is needed.

    Args:
        record: Of the trial.
    """

    record: TrialRecord

    @cached_property
    def requests(self) -> tuple[Request, ...]:
        """The requests of the agent."""
        return requests_of(self.record.trace)

    @cached_property
    def payload(self) -> Any:
        """The fields of the task that its family defines."""
        return self.record.task.payload

    @cached_property
    def platforms(self) -> Mapping[str, str]:
        """Of the nodes, by name; empty without a network."""
        payload = self.payload
        if not isinstance(payload, Networked):
            return {}
        return {node.name: payload.platform_of(node.name) for node in payload.topology.nodes}

    # the answer

    @cached_property
    def asks_causes(self) -> bool:
        """Whether the task asks for causes."""
        return isinstance(self.payload, Diagnose)

    @cached_property
    def answer(self) -> Diagnosis | None:
        """The causes that were named; ``None`` without a valid answer."""
        return given_answer(self.record) if self.asks_causes else None

    @cached_property
    def answered_at(self) -> int | None:
        """The number of the request that fixed the findings; ``None`` if there is none."""
        if not self.asks_causes:
            return None
        return next((one.number for one in self.requests if one.kind == "answer" and not one.answer.is_error), None)

    @cached_property
    def compared(self) -> tuple[list[Cause], list[RootCause]]:
        """The causes and those that the answer names, in comparable words."""
        if self.answer is None:
            causes = self.payload.causes if self.asks_causes else ()
            return list(causes), []
        return compared(self.payload, self.answer)

    @cached_property
    def named(self) -> list[bool | None]:
        """For each cause whether the answer names it."""
        causes, answers = self.compared
        if self.answer is None:
            return [None] * len(self.shown)
        return [any(fits(cause, one) for one in answers) for cause in causes]

    @cached_property
    def missing(self) -> list[int]:
        """Indices of the causes that the answer does not name."""
        return [number for number, named in enumerate(self.named) if named is False]

    @cached_property
    def strangers(self) -> list[RootCause]:
        """What the answer names and is no cause."""
        causes, answers = self.compared
        return [one for one in answers if not any(fits(cause, one) for cause in causes)]

    @cached_property
    def names_decoy(self) -> bool:
        """Whether the answer names, as a cause, the place of a decoy."""
        if not self.strangers:
            return False
        found = (resource for one in self.payload.decoys for resource in decoy_resources(one, self.payload.topology))
        places = {canonical(resource, self.payload) for resource in found}
        return any(one.resource_id in places for one in self.strangers)

    @cached_property
    def is_diagnosed(self) -> bool:
        """Whether each cause is named, and nothing else."""
        _, answers = self.compared
        given = {(one.resource_id, one.fault_type) for one in answers}
        return self.answer is not None and not self.missing and len(given) == len(self.named)

    @cached_property
    def shown(self) -> list[int | None]:
        """For each cause the number of the request that showed it."""
        if not isinstance(self.payload, Faulty):
            return []
        known = Known(payload=self.payload, healthy=self._healthy, initial=self.record.initial_configs)
        return causes_shown(known, self.requests, until=self.answered_at)

    @property
    def _healthy(self) -> Mapping[str, str]:
        return self.record.healthy_configs

    # changes

    @cached_property
    def changes(self) -> Sequence[Request]:
        """The requests by which something was changed, or was to be."""
        return [one for one in self.requests if one.kind == "change"]

    @cached_property
    def last_change(self) -> Request | None:
        """The last request that changed something."""
        return next((one for one in reversed(self.changes) if one.applied), None)

    @cached_property
    def is_verified(self) -> bool:
        """Whether something was looked at or measured after the last change; also if there was none."""
        last = self.last_change
        return last is None or any(one.looks and one.number > last.number for one in self.requests)

    @cached_property
    def refused_left(self) -> bool:
        """Whether the last request that wanted to change a device had a command that the device refused."""
        latest = {one.device: one for one in self.changes}
        return any(one.refused for one in latest.values())

    # the network at the end

    @cached_property
    def wrong_before(self) -> frozenset[int]:
        """The flows that were wrong when the agent began."""
        watch = self.record.watch
        return frozenset() if watch is None else frozenset(watch.wrong_before)

    @cached_property
    def wrong_after(self) -> frozenset[int]:
        """The flows that are wrong at the end."""
        watch = self.record.watch
        return frozenset() if watch is None else frozenset(watch.wrong_after)

    @cached_property
    def was_right(self) -> bool:
        """Whether all flows were right after some change, and some were wrong before the first."""
        watch = self.record.watch
        return watch is not None and bool(watch.wrong_before) and any(not wrong for wrong in watch.states())

    @cached_property
    def tests(self) -> Mapping[str, tuple[int, int]]:
        """By role of a testcase: how many failed, and how many there are. Empty if flows were watched."""
        if self.record.watch is not None:
            return {}
        found: dict[str, tuple[int, int]] = {}
        for one in self.record.testcase_results:
            failed, count = found.get(one.role, (0, 0))
            found[one.role] = failed + (one.status == "fail"), count + 1
        return found

    @cached_property
    def breached(self) -> bool:
        """Whether traffic loses more than it may at the end."""
        demands = self.record.other.get("breached_demands")
        return isinstance(demands, Mapping) and bool(demands.get("after"))
