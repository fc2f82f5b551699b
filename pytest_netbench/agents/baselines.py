"""Lower bounds of diagnosis: agents that answer without looking at the network.

A score that one of them reaches is worth nothing: with 30 % healthy networks, who always finds everything healthy is
right in 30 % of the trials.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AgentError
from pytest_netbench.model.diagnosis import Diagnosis, RootCause
from pytest_netbench.model.trial import AgentInfo, Brief, Submission
from pytest_netbench.randomness import seeded

SUBMIT: Final = "submit-diagnosis"
SUBMIT_ANSWER: Final = "submit-answer"
LIST_RESOURCES: Final = "list-resources"
Lists = Mapping[str, Any]
"""What ``submit-diagnosis`` answers: the fault types and the resources that can be named."""


class _Guessing(ABC):
    """Submits a diagnosis at once, and names what a subclass chooses from the lists."""

    name: ClassVar[str]

    @property
    def info(self) -> AgentInfo:
        return AgentInfo(id=self.name, strategy=self.name)

    def run(self, brief: Brief, ani: Ani) -> Submission:
        """Answer.

        Raises:
            AgentError: The task asks for no diagnosis.
        """
        needs_diagnosis(self.name, brief)
        lists = submitted("The network was not looked at.", ani)
        return Submission(answer=handed_in(tuple(self.choose(lists, brief)), brief, ani))

    @abstractmethod
    def choose(self, lists: Lists, brief: Brief) -> Sequence[RootCause]:
        """The causes to name; none: the network is said to be healthy."""


def needs_diagnosis(agent: str, brief: Brief) -> None:
    """Refuse a task that asks for no diagnosis.

    Raises:
        AgentError: It asks for none.
    """
    if SUBMIT not in [method.name for method in brief.methods]:
        raise AgentError(f"{agent} only answers tasks that ask for a diagnosis, and this one is of {brief.family!r}")


def submitted(words: str, ani: Ani) -> Lists:
    """Fix the diagnosis, and return all that can be named, also where that comes by pages."""
    lists = ani.call(SUBMIT, {"diagnosis": words})
    more = [ani.call(LIST_RESOURCES, {"page": page}) for page in range(2, (lists.get("pages") or 1) + 1)]
    return {**lists, "resources": [*lists["resources"], *(name for one in more for name in one["resources"])]}


def handed_in(causes: tuple[RootCause, ...], brief: Brief, ani: Ani) -> dict[str, Any]:
    """The answer that names causes. It is submitted at once where a repair may follow."""
    answer = Diagnosis(is_anomaly=bool(causes), root_causes=causes).model_dump(mode="json")
    if SUBMIT_ANSWER in [method.name for method in brief.methods]:
        ani.call(SUBMIT_ANSWER, answer)
    return answer


class AlwaysHealthy(_Guessing):
    """Finds every network healthy."""

    name = "always-healthy"

    def choose(self, lists: Lists, brief: Brief) -> Sequence[RootCause]:  # it is always the same
        return ()


class AlwaysSame(_Guessing):
    """Names the first fault type, at the first resource of its kind."""

    name = "always-same"

    def choose(self, lists: Lists, brief: Brief) -> Sequence[RootCause]:  # it is always the same
        first = lists["fault_types"][0]
        return (RootCause(resource_id=_of_kind(lists, first)[0], fault_type=first["name"]),)


class RandomGuess(_Guessing):
    """Finds half of the networks healthy, and names a drawn fault type at a drawn resource of its kind in the others.

    The same brief has the same answer.
    """

    name = "random-guess"

    def choose(self, lists: Lists, brief: Brief) -> Sequence[RootCause]:
        source = seeded(brief.model_dump_json())
        if source.random() < 0.5:
            return ()
        drawn = source.choice(lists["fault_types"])
        return (RootCause(resource_id=source.choice(_of_kind(lists, drawn)), fault_type=drawn["name"]),)


def _of_kind(lists: Lists, fault_type: Mapping[str, str]) -> list[str]:
    return [one for one in lists["resources"] if one.startswith(f"{fault_type['named_by']}/")]
