"""Causes of a task and of an answer as they are compared: with the full names of their resources, in lower case."""

from __future__ import annotations

from typing import Protocol

from pytest_netbench import parts
from pytest_netbench.model.causes import Cause
from pytest_netbench.model.diagnosis import Diagnosis, RootCause
from pytest_netbench.model.topology import Topology


class HasCauses(Protocol):
    """A payload in which something may be wrong that can be named."""

    @property
    def topology(self) -> Topology: ...

    @property
    def causes(self) -> tuple[Cause, ...]: ...

    def platform_of(self, node: str) -> str: ...


def canonical(resource: str, payload: HasCauses) -> str:
    """A resource as it is compared: names in full, in lower case, the ends of a link in order."""
    kind, _, rest = resource.strip().partition("/")
    if kind.lower() == "interface":
        node, _, interface = rest.partition("/")
        rest = f"{node}/{_interface(node, interface, payload)}"
    elif kind.lower() == "link":
        ends = [end.partition(":") for end in rest.split("--")]
        rest = "--".join(sorted(f"{node}:{_interface(node, interface, payload)}" for node, _, interface in ends))
    return f"{kind}/{rest}".lower()


def compared(payload: HasCauses, answer: Diagnosis) -> tuple[list[Cause], list[RootCause]]:
    """The causes of a task and those of an answer, with their resources as they are compared."""
    causes = [
        Cause(
            one.fault_type,
            tuple(canonical(resource, payload) for resource in one.resources),
            tuple((canonical(resource, payload), kind) for resource, kind in one.others),
        )
        for one in payload.causes
    ]
    return causes, [
        RootCause(resource_id=canonical(one.resource_id, payload), fault_type=one.fault_type.strip())
        for one in answer.root_causes
    ]


def fits(cause: Cause, answer: RootCause) -> bool:
    """Whether an answer names a cause; both as ``compared`` returns them."""
    named = (answer.resource_id, answer.fault_type)
    return named in cause.others or (answer.fault_type == cause.fault_type and answer.resource_id in cause.resources)


def _interface(node: str, name: str, payload: HasCauses) -> str:
    names = {one.name.lower(): one.name for one in payload.topology.nodes}
    if node.lower() not in names:
        return name
    dialect = parts.load("dialects", payload.platform_of(names[node.lower()]))()
    try:
        full: str = dialect.interface(name)
    except ValueError:
        return name
    return full
