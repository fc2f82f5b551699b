"""The published JSON Schema of the file format: the models' own schema, with what a file may write instead.

It describes structure. The loader checks what needs knowledge of the whole file (existing nodes, valid patterns).
"""

from __future__ import annotations

from typing import Any, Final

from pytest_netbench.model.configure import Configure
from pytest_netbench.model.events import ACTIONS, EVENT_NAME
from pytest_netbench.model.payload import Networked
from pytest_netbench.model.task import DEFAULT_FAMILY, flat_model, payload_model
from pytest_netbench.taskfile.clab_topology import FIELD
from pytest_netbench.taskfile.draft import RESULT_FIELDS
from pytest_netbench.taskfile.ready import SESSION, UNTIL
from pytest_netbench.taskfile.testcases import KINDS, LISTS
from pytest_netbench.taskfile.topology import LINK, NODE_NAME, QUALITY
from pytest_netbench.taskfile.units import QUANTITIES

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
IDENTIFIER: Final = "urn:pytest-netbench:task-file:1"

Schema = dict[str, Any]
_PAIRS: Final = ("#/$defs/Endpoint", "#/$defs/DaemonOf")
_TEXT: Final[Schema] = {"type": "string"}
_NOT_BLANK: Final[Schema] = {"type": "string", "pattern": r"\S"}


def task_schema(family: str = DEFAULT_FAMILY) -> Schema:
    """JSON Schema (2020-12) of a task file of ``family``, its shorthands included.

    Raises:
        UsageError: No such family is installed.
    """
    payload = payload_model(family)
    root = flat_model(payload).model_json_schema(by_alias=True)
    root.pop("description", None)
    defs: dict[str, Schema] = root.pop("$defs")
    for one in (root, *defs.values()):
        _add_spellings(one)
    if issubclass(payload, Networked):
        _topology(defs)
        _testcases(root, defs)
        _configs(root, defs)
        _ready(root, defs)
        _events(root, defs)
        _reference(defs)
    if issubclass(payload, Configure):
        _intents(root, defs)
    _family(root, family)
    root["required"] = [name for name in root["required"] if name != "slug"]
    for name in ("tags", "requirements"):
        root["properties"][name] = _or_text(root["properties"][name])
    root["properties"]["task_name"] |= _NOT_BLANK
    root["title"] = "pytest-netbench task file"
    return {"$schema": DIALECT, "$id": IDENTIFIER, **root, "$defs": dict(sorted(defs.items()))}


def _family(root: Schema, family: str) -> None:
    root["properties"]["family"] |= {"const": family}
    if family != DEFAULT_FAMILY:
        root["properties"]["family"].pop("default")
        root["required"].append("family")


def _add_spellings(schema: Schema) -> None:
    """Quantities by their name in a file; the model's own name stays for files that programs write."""
    properties: dict[str, Schema] = schema.get("properties", {})
    for name in [name for name in properties if name in QUANTITIES]:
        quantity, own = QUANTITIES[name], properties[name]
        kept = {key: own[key] for key in ("description", "title") if key in own}
        nullable = {"type": "null"} in own.get("anyOf", ())
        properties[quantity.name] = kept | (
            {"anyOf": [quantity.schema, {"type": "null"}]} if nullable else quantity.schema
        )
        if quantity.name == name:
            continue
        properties[name] = own | {"description": f"as `{quantity.name}`, as a bare number; written by programs"}
        if name in schema.get("required", ()):
            schema["required"].remove(name)
            schema["oneOf"] = [{"required": [quantity.name]}, {"required": [name]}]
        else:
            schema.setdefault("allOf", []).append({"not": {"required": [quantity.name, name]}})


def _topology(defs: dict[str, Schema]) -> None:
    defs["Node"]["properties"]["name"] = {"type": "string", "pattern": NODE_NAME}
    _also(defs, "Node", {"type": "string", "pattern": NODE_NAME, "examples": ["R1"]})
    written = {"type": "string", "pattern": LINK, "examples": ["R1 eth1 <-> R2 eth1"]}
    link = defs["Link"]
    end = {"type": "string", "pattern": r"^\s*\S+\s+\S", "examples": ["R1 eth1"]}
    endpoints = link["properties"]["endpoints"]
    link["properties"]["endpoints"] = {"anyOf": [written, {**endpoints, "items": {"anyOf": [end, endpoints["items"]]}}]}
    link["properties"] |= {name: defs["LinkQuality"]["properties"][name] for name in sorted(QUALITY)}
    _also(defs, "Link", written)
    topology = defs["Topology"]
    topology["properties"][FIELD] = {"type": "string", "description": "a topology file of containerlab beside the task"}
    topology["required"].remove("nodes")
    topology["oneOf"] = [
        {"required": ["nodes"], "not": {"required": [FIELD]}},
        {"required": [FIELD], "not": {"required": ["links"]}},
    ]


def _intents(root: Schema, defs: dict[str, Schema]) -> None:
    _also(defs, "Intent", _NOT_BLANK)
    defs["IntentMapping"]["properties"]["text"] |= _NOT_BLANK
    per_node = {"type": "object", "additionalProperties": _TEXT}
    pair = per_node | {"minProperties": 1, "maxProperties": 1}
    subs = defs["IntentMapping"]["properties"]["sub_intents"]
    subs["items"] = {"anyOf": [subs["items"], pair]}
    defs["IntentMapping"]["properties"]["sub_intents"] = {"anyOf": [per_node, subs]}
    root["properties"]["intents"] = _or_text(root["properties"]["intents"], _NOT_BLANK)


def _testcases(root: Schema, defs: dict[str, Schema]) -> None:
    for kind, model in KINDS.items():
        schema = defs[model.__name__]
        schema["required"] = ["kind", *schema.get("required", ())]
        schema["properties"]["kind"] = {"const": kind}
        for name in LISTS:
            if name in schema["properties"]:
                schema["properties"][name] = _or_text(schema["properties"][name])
    flow: Schema = {"$ref": "#/$defs/Flow"}
    many = defs["ThroughputTestcase"]["properties"]["background"]
    defs["ThroughputTestcase"]["properties"]["background"] = {"anyOf": [flow, many]}
    defs["DraftShowTestcase"] = _draft_show(defs["ShowTestcase"])
    defs["DraftRouteTestcase"] = _draft_route(defs["RouteTestcase"])
    names = [*(model.__name__ for model in KINDS.values()), "DraftShowTestcase", "DraftRouteTestcase"]
    defs["Testcase"] = {"type": "object", "anyOf": [{"$ref": f"#/$defs/{name}"} for name in names]}
    for name in {"testcases", "health_checks"} & root["properties"].keys():
        root["properties"][name]["items"] = {"$ref": "#/$defs/Testcase"}


def _draft_show(show: Schema) -> Schema:
    return {
        **show,
        "title": "DraftShowTestcase",
        "description": "The draft's form of §4.3: a `show` testcase, its name optional.",
        "properties": {name: value for name, value in show["properties"].items() if name != "kind"},
        "required": ["device", "commands", "expected_output"],
    }


def _draft_route(route: Schema) -> Schema:
    own: dict[str, Schema] = route["properties"]
    shared = ("name", "device", "role", "intent", "within", "stays")
    result = {name: own.get(name, _TEXT) for name in RESULT_FIELDS}
    return {
        "title": "DraftRouteTestcase",
        "description": "The draft's form of §4.1; device and prefix are derived where they are not given.",
        "type": "object",
        "properties": (
            {name: own[name] for name in shared}
            | {"expected_result": {"type": "object", "properties": result, "additionalProperties": False}}
        ),
        "required": ["name", "expected_result"],
        "additionalProperties": False,
    }


def _configs(root: Schema, defs: dict[str, Schema]) -> None:
    lines: Schema = {"type": "array", "items": _TEXT}
    commands: Schema = {"type": "array", "items": _NOT_BLANK}
    for name, many in (("startup_configs", lines), ("ground_truth_configs", commands)):
        if name in root["properties"]:
            root["properties"][name]["additionalProperties"] = {"anyOf": [_TEXT, many, {"type": "null"}]}
    if "GroundTruth" in defs:
        _ground_truths(root, defs)


def _ground_truths(root: Schema, defs: dict[str, Schema]) -> None:
    """A list of ground truths instead of one, as the draft's revision -02 has it."""
    per_node = root["properties"]["ground_truth_configs"]
    defs["GroundTruth"]["properties"]["configs"] = {
        "type": "object",
        "additionalProperties": per_node["additionalProperties"],
    }
    several = {"type": "array", "items": {"$ref": "#/$defs/GroundTruth"}, "minItems": 1}
    root["properties"]["ground_truth_configs"] = {"anyOf": [per_node, several]}


def _ready(root: Schema, defs: dict[str, Schema]) -> None:
    _also(defs, "ExpectedDown", {"type": "string", "pattern": SESSION, "examples": ["R1 bgp 10.0.0.2"]})
    root["properties"]["ready"] = {"anyOf": [{"enum": list(UNTIL)}, {"$ref": "#/$defs/Ready"}]}


def _events(root: Schema, defs: dict[str, Schema]) -> None:
    pair = {"type": "string", "pattern": r"^\s*\S+\s+\S.*$"}
    for model in ACTIONS.values():
        for name, field in defs[model.__name__]["properties"].items():
            if field.get("$ref") in _PAIRS:
                defs[model.__name__]["properties"][name] = {"anyOf": [pair | {"examples": ["R1 eth1"]}, field]}
    at = defs["LinkChange"]["properties"]["at"]
    defs["LinkChange"]["properties"]["at"] = {"anyOf": [pair | {"examples": ["R1 eth1"]}, at]}
    for name in ("commands", "undo"):
        defs["Typed"]["properties"][name] = _or_text(defs["Typed"]["properties"][name])
    actions = root["properties"]["events"]["additionalProperties"]
    root["properties"]["events"] |= {
        "additionalProperties": {"anyOf": [actions["items"], actions | {"minItems": 1}]},
        "propertyNames": {"pattern": EVENT_NAME},
    }


def _reference(defs: dict[str, Schema]) -> None:
    port: Schema = {"type": "integer", "minimum": 1, "maximum": 65535}
    ports = {"type": "string", "pattern": r"^\s*[0-9]+\s*(-\s*[0-9]+\s*)?$", "examples": ["1000-2000"]}
    _also(defs, "PortRange", {"anyOf": [port, ports]})
    for name in ("Change", "Free"):
        entry: Schema = defs[name]["properties"]
        entry["from"], entry["to"] = _or_text(entry["from"]), _or_text(entry["to"])
        entry["ports"] = {"anyOf": [{"$ref": "#/$defs/PortRange"}, entry["ports"]]}


def _also(defs: dict[str, Schema], name: str, written: Schema) -> None:
    """Let ``name`` be written as a text too; the mapping becomes ``<name>Mapping``."""
    defs[f"{name}Mapping"] = defs[name]
    defs[name] = {"anyOf": [written, {"$ref": f"#/$defs/{name}Mapping"}]}


def _or_text(many: Schema, text: Schema = _TEXT) -> Schema:
    kept: dict[str, Any] = {key: many.pop(key) for key in ("description", "title") if key in many}
    choices = many.pop("anyOf", None) or [many]
    return kept | {"anyOf": [text, *choices]}
