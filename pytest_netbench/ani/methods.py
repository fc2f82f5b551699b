"""The methods of the ANI: the draft's four (§4.2), and the validation of requests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from pytest_netbench.ani import wire
from pytest_netbench.ani.schema import schema_of
from pytest_netbench.errors import AniError
from pytest_netbench.model.trial import MethodSpec
from pytest_netbench.rpccodes import Code

SSH = "ssh"
WAIT = "wait"
UPDATE_CFG = "update-cfg"

DRAFT_TOOLS: Mapping[str, str] = {
    "get_topology": "get-topology",
    "get_running_config": "get-running-cfg",
    "update_config": "update-cfg",
    "execute_validation": "execute-cmd",
}
"""The names of the draft's revision -02 for its four methods, by which every interface takes requests as well."""

P = TypeVar("P", bound=wire.Wire)

PARAMS: Mapping[str, type[wire.Wire]] = {
    "get-topology": wire.GetTopologyParams,
    "get-running-cfg": wire.GetRunningCfgParams,
    "update-cfg": wire.UpdateCfgParams,
    "execute-cmd": wire.ExecuteCmdParams,
    WAIT: wire.WaitParams,
}
"""The model of each method's parameters, but for those of ``extras``."""


def spec_of(name: str, description: str, params: type[wire.Wire], result: type[wire.Wire]) -> MethodSpec:
    """A method as agents see it: its schemas are those of its models."""
    return MethodSpec(name=name, description=description, parameters=schema_of(params), result=schema_of(result))


METHODS: Mapping[str, MethodSpec] = {
    spec.name: spec
    for spec in (
        spec_of(
            "get-topology",
            "Nodes and links of the network. With `devices`, only these and the links among them; with `page`, a part.",
            wire.GetTopologyParams,
            wire.GetTopologyResult,
        ),
        spec_of(
            "get-running-cfg",
            "The active configuration of one device, or a section or a page of it.",
            wire.GetRunningCfgParams,
            wire.GetRunningCfgResult,
        ),
        spec_of(
            "update-cfg",
            "Apply configuration commands to one device, in order. Answers for each command whether the device took it,"
            " with the device's own message if it printed one, and goes on after an error.",
            wire.UpdateCfgParams,
            wire.UpdateCfgResult,
        ),
        spec_of(
            "execute-cmd",
            "Run one read-only command on one device and return its output. It cannot change the device.",
            wire.ExecuteCmdParams,
            wire.ExecuteCmdResult,
        ),
    )
}

WAIT_SPEC = spec_of(
    WAIT,
    "Let time pass in the network, which stands still between requests. Takes as much of the network's time as it says,"
    " or as much as passes in a minute of the wall.",
    wire.WaitParams,
    wire.WaitResult,
)
"""Only for networks that stand still between requests."""

BUDGET_LEFT = spec_of(
    "budget-left",
    "What is left of the budget. Costs nothing; only over JSON-RPC.",
    wire.NoParams,
    wire.BudgetLeftResult,
)


def tool_name(wire_name: str) -> str:
    """``get-topology`` as ``get_topology``: not every provider takes a hyphen."""
    return wire_name.replace("-", "_")


def wire_name(method: Any) -> Any:
    """The wire name of a method that is called by a name of the draft's revision -02; any other value as it is."""
    return DRAFT_TOOLS.get(method, method) if isinstance(method, str) else method


def as_sent(values: Any) -> Any:
    """Return a sequence of texts as it is sent; what is none is sent as it is, and refused."""
    return list(values) if isinstance(values, Sequence) and not isinstance(values, str) else values


class DraftMethods(ABC):
    """The draft's four methods, as requests by their wire names. Shapes and errors are those of ``protocol.Ani``."""

    @abstractmethod
    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Answer one request."""

    def get_topology(self, devices: Sequence[str] = ()) -> dict[str, Any]:
        return self.call("get-topology", {"devices": as_sent(devices)})

    def get_running_cfg(self, device: str) -> dict[str, Any]:
        return self.call("get-running-cfg", {"device": device})

    def update_cfg(self, device: str, commands: Sequence[str]) -> dict[str, Any]:
        return self.call("update-cfg", {"device": device, "commands": as_sent(commands)})

    def execute_cmd(self, device: str, command: str) -> dict[str, Any]:
        return self.call("execute-cmd", {"device": device, "command": command})


def unknown_method(method: object, *, known: Collection[str], why: str = "") -> AniError:
    """The error that there is no such method; names the ``known`` ones."""
    listed = f" (known: {_names(known)})" if known or not why else ""
    return AniError(f"unknown method {_show(method)}{why and f': {why}'}{listed}", code=Code.METHOD_NOT_FOUND)


def check_params(name: str, params: object) -> wire.Wire:
    """Return the parameters of a request, validated by the model of the method ``name``.

    Raises:
        AniError: With what is wrong and what is expected.
    """
    return validated(name, PARAMS[name], params)


def validated(name: str, model: type[P], params: object) -> P:
    """Return ``params`` of the method ``name`` as ``model``.

    Raises:
        AniError: With what is wrong and what is expected.
    """
    if not isinstance(params, Mapping):
        raise AniError(f"{name}: params must be an object, not {_kind(params)}", code=Code.INVALID_PARAMS)
    for given in params:
        if given not in model.model_fields:
            known = _names(model.model_fields)
            raise AniError(f"{name}: unknown parameter {_show(given)} (known: {known})", code=Code.INVALID_PARAMS)
    try:
        return model.model_validate(dict(params))
    except ValidationError as error:
        raise AniError(f"{name}: {_objection(error, params)}", code=Code.INVALID_PARAMS) from None


def _objection(error: ValidationError, params: Mapping[str, Any]) -> str:
    """The first problem in words; a parameter that is missing comes before one that is wrong."""
    problem = min(error.errors(include_url=False), key=lambda one: one["type"] != "missing")
    name, *positions = problem["loc"]
    value: Any = problem["input"]
    match problem["type"]:
        case "missing":
            return f"parameter {name!r} is missing"
        case "string_type":
            return f"{_place(name, positions)!r} must be a string, not {_kind(value)}"
        case "string_unicode":
            surrogate = next(character for character in value if "\ud800" <= character <= "\udfff")
            return f"{_place(name, positions)!r} {wire.control_character(surrogate).message()}"
        case "tuple_type" | "list_type":
            return f"{name!r} must be a list of strings, not {_kind(value)}"
        case "too_long" | "string_too_long":
            what = "characters; at most {}" if isinstance(value, str) else "entries; at most {} in one request"
            return f"{name!r} has {len(params[str(name)])} {what.format(problem['ctx']['max_length'])}"
    return f"{_place(name, positions)!r} {problem['msg']}"


def _place(name: object, positions: Sequence[object]) -> str:
    return f"{name}[{int(str(positions[0])) + 1}]" if positions else str(name)


def _names(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names) or "none"


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _kind(value: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}
    return kinds.get(type(value), "a number" if isinstance(value, int | float) else type(value).__name__)
