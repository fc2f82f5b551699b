"""Whether a listing of API objects shows what a path into one of them would have shown. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from pytest_netbench.faults.evidence.observation import Answer, Matches, Observation
from pytest_netbench.process.requests import Request

_ASKED: Final = re.compile(r"^kubectl get (\S+) (\S+) -n (\S+) -o jsonpath='\{(.*)\}'$")
_STEP: Final = re.compile(r"\[(\d+)\]|\.((?:\\.|[^.\[\\])+)")


def shows(one: Observation, request: Request) -> bool:
    """Whether an output in YAML or JSON has the object that an observation asks for, and it shows what it must."""
    found = _ASKED.match(str(one.params.get("command", "")))
    if found is None or not isinstance(one.shows, Matches) or "kubectl" not in request.command:
        return False
    kind, name, namespace, path = found.groups()
    for item in _items(request.answer.text):
        about = item.get("metadata")
        if not isinstance(about, dict) or str(item.get("kind", "")).lower() != kind:
            continue
        if (about.get("name"), about.get("namespace")) == (name, namespace):
            return one.shows.is_in(Answer(_printed(_at(item, path))))
    return False


def _items(text: str) -> Iterator[dict[str, Any]]:
    import yaml  # only outputs of clusters need it

    try:
        documents = list(yaml.load_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.YAMLError:
        return
    for one in documents:
        if isinstance(one, dict):
            items = one.get("items")
            yield from (item for item in (items if isinstance(items, list) else [one]) if isinstance(item, dict))


def _at(item: Any, path: str) -> Any:
    """What stands in an object at a path as ``kubectl`` writes it; ``None`` if nothing does."""
    for number, name in _STEP.findall(path):
        try:
            item = item[int(number)] if number else item[name.replace("\\", "")]
        except (LookupError, TypeError):
            return None
    return item


def _printed(value: Any) -> str:
    """A value as ``kubectl`` prints it."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), sort_keys=True)
