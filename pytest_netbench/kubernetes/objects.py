"""Objects of the API as plain data: in files, and in the form in which they are compared. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import yaml

from pytest_netbench.errors import InputError

Object = dict[str, Any]
"""An object of the API, as JSON has it."""
_OF_SERVER: Final = (
    *("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"),
    *("deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences"),
)
_NOTES_OF_OTHERS: Final = ("kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision")
_NAMESPACE_LABEL: Final = "kubernetes.io/metadata.name"


def parse(text: str) -> list[Object]:
    """The objects of a file with one or several documents.

    Raises:
        InputError: It is no YAML, or a document is no object with a kind and a name.
    """
    try:
        documents = [one for one in yaml.load_all(text, Loader=_LOADER) if one is not None]
    except yaml.YAMLError as error:
        raise InputError(f"not YAML: {error}") from None
    for number, one in enumerate(documents, start=1):
        if not isinstance(one, dict) or "kind" not in one or not (one.get("metadata") or {}).get("name"):
            raise InputError(f"document {number}: not an object of Kubernetes: it needs a 'kind' and a 'metadata.name'")
    return documents


def render(objects: Iterable[Mapping[str, Any]]) -> str:
    """Objects as text, sorted by kind, namespace and name, with sorted fields."""
    ordered = sorted(objects, key=_place)
    return "".join(f"---\n{yaml.dump(dict(one), Dumper=_DUMPER, sort_keys=True, width=120)}" for one in ordered)


def managed(found: Mapping[str, Any]) -> Object:
    """An object without its status and without what the server adds."""
    metadata = {key: value for key, value in found["metadata"].items() if key not in _OF_SERVER}
    for field, unwanted in (("annotations", _NOTES_OF_OTHERS), ("labels", (_NAMESPACE_LABEL,))):
        kept = {key: value for key, value in (metadata.get(field) or {}).items() if key not in unwanted}
        metadata.pop(field, None)
        if kept:
            metadata[field] = kept
    rest = {key: value for key, value in found.items() if key not in ("status", "metadata")}
    if found["kind"] == "Namespace":
        rest.pop("spec", None)
    return {**rest, "metadata": metadata}


def _place(one: Mapping[str, Any]) -> tuple[str, str, str]:
    metadata = one["metadata"]
    return one["kind"], metadata.get("namespace", ""), metadata["name"]


_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
