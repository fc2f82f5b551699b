"""What faults of NetworkPolicies have in common: their parameters, and where rules are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

from pytest_netbench.faults.kubernetes.builders import Edit, OfObject
from pytest_netbench.faults.kubernetes.patches import Object, Operation

KIND: Final = "NetworkPolicy"
DNS: Final = 53
Direction = Literal["ingress", "egress"]
DIRECTIONS: Final[tuple[Direction, ...]] = ("ingress", "egress")
END: Final[dict[Direction, str]] = {"ingress": "from", "egress": "to"}
"""By direction: the field of a rule that has its peers."""


class OfPolicy(OfObject):
    """Parameters of a fault of one NetworkPolicy."""

    policy: str

    def edit(
        self,
        inject: Sequence[Operation],
        repair: Sequence[Operation],
        *,
        field: tuple[str | int, ...],
        shown: Any = None,
        lacking: Object | None = None,
        detail: str,
    ) -> Edit:
        """What a fault does with the policy. ``field`` is below its ``spec``."""
        return Edit(
            kind=KIND,
            namespace=self.namespace,
            name=self.policy,
            inject=tuple(inject),
            repair=tuple(repair),
            field=("spec", *field),
            shown=shown,
            lacking=lacking,
            detail=detail,
        )

    @property
    def words(self) -> str:
        """The policy in words."""
        return f"The NetworkPolicy {self.policy} in namespace {self.namespace}"


class Rule(NamedTuple):
    """A rule of a policy, its place among those of its direction, and whether it is the only one."""

    policy: str
    namespace: str
    direction: Direction
    place: int
    is_only: bool
    content: Object

    @property
    def is_dns(self) -> bool:
        """Whether it lets names be resolved."""
        return any(one.get("port") == DNS for one in self.content.get("ports", ()))


def policies_in(objects: Sequence[Object]) -> Iterator[Object]:
    """The NetworkPolicies among objects, by namespace and name: the order of creation decides nothing."""
    found = (one for one in objects if one["kind"] == KIND)
    yield from sorted(found, key=lambda one: (one["metadata"]["namespace"], one["metadata"]["name"]))


def rules_in(objects: Sequence[Object], *directions: Direction) -> Iterator[Rule]:
    """The rules of all NetworkPolicies among objects, of these directions."""
    for policy in policies_in(objects):
        found = policy["metadata"]
        for direction in directions:
            rules = policy["spec"].get(direction) or ()
            for place, content in enumerate(rules):
                yield Rule(found["name"], found["namespace"], direction, place, len(rules) == 1, content)


def pods_in(objects: Sequence[Object]) -> Iterator[tuple[str, Object]]:
    """Namespace and labels of the pods of each Deployment among objects, by namespace and name."""
    found = (one for one in objects if one["kind"] == "Deployment")
    for one in sorted(found, key=lambda one: (one["metadata"]["namespace"], one["metadata"]["name"])):
        yield one["metadata"]["namespace"], one["spec"]["template"]["metadata"]["labels"]
