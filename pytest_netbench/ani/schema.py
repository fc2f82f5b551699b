"""JSON Schemas of the ANI, made from the models of ``ani.wire``: for model tools, external programs and the docs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from pytest_netbench.model.trial import MethodSpec
from pytest_netbench.rpccodes import Code

Schema = dict[str, Any]


def schema_of(model: type[BaseModel]) -> Schema:
    """The JSON Schema of ``model``: self-contained, without titles, optional members simply not required.

    Model providers support different subsets of JSON Schema. Some do not support references, or ``anyOf`` with
    ``null``.
    """
    schema = model.model_json_schema(mode="validation")
    definitions: dict[str, Schema] = schema.pop("$defs", {})
    plain: Schema = _simplified(schema, definitions)
    plain.pop("description", None)
    plain.setdefault("required", [])
    return plain


def open_rpc(specs: Iterable[MethodSpec], *, version: str) -> Schema:
    """An OpenRPC 1.3 document of ``specs``: what ``rpc.discover`` answers and ``netbench schema ani`` prints.

    Args:
        specs: The methods.
        version: Of this package.
    """
    return {
        "openrpc": "1.3.2",
        "info": {
            "title": "Agent-Network Interface",
            "description": "Methods of draft-cui-nmrg-llm-benchmark section 4.2, and extras of netbench.",
            "version": version,
        },
        "methods": [_method(spec) for spec in specs],
        "components": {"errors": {code.name: {"code": int(code), "message": code.meaning} for code in Code}},
    }


def _method(spec: MethodSpec) -> Schema:
    required = spec.parameters["required"]
    return {
        "name": spec.name,
        "description": spec.description,
        "paramStructure": "by-name",
        "params": [
            {"name": name, "required": name in required, "schema": schema}
            for name, schema in spec.parameters["properties"].items()
        ],
        "result": {"name": "result", "schema": spec.result},
    }


def _simplified(schema: Any, definitions: Mapping[str, Schema]) -> Any:
    if isinstance(schema, list):
        return [_simplified(one, definitions) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _simplified(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    plain = {name: value for name, value in _one_type(schema).items() if name not in {"title", "default", "properties"}}
    simple = {name: _simplified(plain[name], definitions) for name in sorted(plain, key=_place)}
    if "properties" in schema:
        simple["properties"] = {name: _simplified(one, definitions) for name, one in schema["properties"].items()}
    return simple


def _one_type(schema: Schema) -> Schema:
    """``anyOf`` of a type and ``null``: the type, for a member that may be left out; else both as a list of types."""
    choices = schema.get("anyOf")
    if choices is None:
        return schema
    (choice,) = (one for one in choices if one.get("type") != "null")
    kind = choice["type"] if "default" in schema else [choice["type"], "null"]
    return {**{name: value for name, value in schema.items() if name != "anyOf"}, **choice, "type": kind}


def _place(name: str) -> tuple[int, str]:
    """Return the position of a key in a readable schema."""
    order = ("type", "description", "required", "additionalProperties")
    return (order.index(name) if name in order else len(order), name)
