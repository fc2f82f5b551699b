"""The text of a task file, from a task."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import yaml

from pytest_netbench.model.payload import Payload
from pytest_netbench.model.task import Task

ALWAYS: Final = frozenset({"task_name", "slug", "family", "domain"})
"""Fields that are written even if they have their default: the loader derives them from the file's place."""
WIDTH: Final = 120


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as blocks, lists indented below their key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def task_text(task: Task) -> str:
    """``task`` as YAML: a ``*.task.yaml`` file of this text loads as an equal task. Defaults are left out."""
    whole = task.model_dump(mode="json", by_alias=True)
    brief = task.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    fields = _with(ALWAYS | _tags(type(task.payload)), brief, whole)
    return yaml.dump(fields, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)


def _with(names: frozenset[str], brief: Any, whole: Any) -> Any:
    """``brief`` with the fields called ``names`` that only ``whole`` has, in the order of ``whole``."""
    if isinstance(brief, dict):
        kept = [name for name in whole if name in brief or name in names]
        return {name: _with(names, brief[name], whole[name]) if name in brief else whole[name] for name in kept}
    if isinstance(brief, list):
        return [_with(names, one, other) for one, other in zip(brief, whole, strict=True)]
    return brief


@cache
def _tags(payload: type[Payload]) -> frozenset[str]:
    """Names of fields that have one possible value: they tell models of a union apart, e.g. ``kind`` of a testcase."""
    schema = payload.model_json_schema()
    models = (schema, *schema.get("$defs", {}).values())
    return frozenset(name for one in models for name, field in one.get("properties", {}).items() if "const" in field)
