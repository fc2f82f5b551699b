"""The four methods of the draft (§4.2): what an agent is told of them, and the check of what it sends.

The JSON Schemas here are the single source: agents hand them to their models, and requests are validated against them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_netbench.ani.errors import INVALID_PARAMS, METHOD_NOT_FOUND
from pytest_netbench.errors import AniError
from pytest_netbench.model.trial import MethodSpec

MAX_COMMANDS_PER_CALL = 500
MAX_LINE_BYTES = 8192
MAX_REQUEST_CHARACTERS = 262_144

# on a terminal a control character is an editing key (^O enters the line), so it never reaches a device
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_CONTROL_OR_BREAK = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")

_DEVICE = {"type": "string", "description": "device name as get-topology spells it"}


def _spec(name: str, description: str, required: tuple[str, ...] = (), **properties: Any) -> MethodSpec:
    schema = {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
    return MethodSpec(name=name, description=description, parameters=schema)


METHODS: Mapping[str, MethodSpec] = {
    spec.name: spec
    for spec in (
        _spec(
            "get-topology",
            "Nodes and links of the network. With `devices`, only these and the links among them.",
            devices={
                "type": "array",
                "items": {"type": "string"},
                "description": "device names; empty or left out means all",
            },
        ),
        _spec(
            "get-running-cfg",
            "The active configuration of one device.",
            required=("device",),
            device=_DEVICE,
        ),
        _spec(
            "update-cfg",
            "Apply configuration commands to one device, in order. Answers for each command whether the device took it, "
            "with the device's own message if not, and goes on after an error.",
            required=("device", "commands"),
            device=_DEVICE,
            commands={
                "type": "array",
                "items": {"type": "string"},
                "maxItems": MAX_COMMANDS_PER_CALL,
                "description": "configuration commands, one line each",
            },
        ),
        _spec(
            "execute-cmd",
            "Run one read-only command on one device and return its output. It cannot change the device.",
            required=("device", "command"),
            device=_DEVICE,
            command={"type": "string", "description": "one line"},
        ),
    )
}

SEARCH_MANUAL = "search-manual"
SSH = "ssh"
MAX_QUERY = 400

EXTRAS: Mapping[str, MethodSpec] = {
    spec.name: spec
    for spec in (
        _spec(
            SEARCH_MANUAL,
            "Search the command references of the devices' network OSs; the best sections, best first.",
            required=("query",),
            query={
                "type": "string",
                "maxLength": MAX_QUERY,
                "description": "a few words: a command, or what it shall do",
            },
            platform={
                "type": "string",
                "description": "only the reference of this network OS, e.g. frr; else all of them",
            },
        ),
    )
}
"""Methods beyond the draft's four: nobody has them unless the agent's file asks for it."""


def check_method(method: object) -> MethodSpec:
    """The method called so.

    Raises:
        AniError: There is none; names the known ones.
    """
    if isinstance(method, str) and (spec := METHODS.get(method) or EXTRAS.get(method)) is not None:
        return spec
    raise AniError(f"unknown method {_show(method)} (known: {_names(METHODS)})", code=METHOD_NOT_FOUND)


def check_params(spec: MethodSpec, params: object) -> dict[str, Any]:
    """Parameters of a request, checked against the method's schema and the limits on lines.

    Raises:
        AniError: With what is wrong and what is expected.
    """
    if not isinstance(params, Mapping):
        raise _invalid(spec, f"params must be an object, not {_kind(params)}")
    properties: dict[str, Any] = spec.parameters["properties"]
    for name in params:
        if name not in properties:
            raise _invalid(spec, f"unknown parameter {_show(name)} (known: {_names(properties)})")
    for name in spec.parameters["required"]:
        if name not in params:
            raise _invalid(spec, f"parameter {name!r} is missing")
    for name, value in params.items():
        if properties[name]["type"] == "string":
            _check_line(spec, name, value, _CONTROL_OR_BREAK)
        else:
            _check_lines(spec, name, value, properties[name])
    return dict(params)


def _check_lines(spec: MethodSpec, name: str, value: object, schema: Mapping[str, Any]) -> None:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise _invalid(spec, f"{name!r} must be a list of strings, not {_kind(value)}")
    limit = schema.get("maxItems")
    if limit is not None and len(value) > limit:
        raise _invalid(spec, f"{name!r} has {len(value)} entries; at most {limit} in one request")
    for position, line in enumerate(value, 1):
        _check_line(spec, f"{name}[{position}]", line, _CONTROL)
    size = sum(len(line) for line in value)
    if size > MAX_REQUEST_CHARACTERS:
        raise _invalid(spec, f"{name!r} has {size} characters; at most {MAX_REQUEST_CHARACTERS} in one request")


def _check_line(spec: MethodSpec, name: str, value: object, forbidden: re.Pattern[str]) -> None:
    if not isinstance(value, str):
        raise _invalid(spec, f"{name!r} must be a string, not {_kind(value)}")
    longest = spec.parameters["properties"].get(name, {}).get("maxLength")
    if longest is not None and len(value) > longest:
        raise _invalid(spec, f"{name!r} has {len(value)} characters; at most {longest}")
    size = max(len(line.encode(errors="replace")) for line in value.split("\n"))
    if size > MAX_LINE_BYTES:
        raise _invalid(spec, f"{name!r} is {size} bytes long; at most {MAX_LINE_BYTES} in a line")
    found = forbidden.search(value.rstrip("\r\n"))
    if found is not None:
        raise _invalid(spec, f"{name!r} contains the control character {found[0]!r}; give one line of plain text")


def _invalid(spec: MethodSpec, message: str) -> AniError:
    return AniError(f"{spec.name}: {message}", code=INVALID_PARAMS)


def _names(names: Mapping[str, Any]) -> str:
    return ", ".join(repr(name) for name in names)


def _show(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _kind(value: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}
    return kinds.get(type(value), "a number" if isinstance(value, int | float) else type(value).__name__)
