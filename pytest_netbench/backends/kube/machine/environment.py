"""The variables of a container, and its command with their values. Asks the API for what they are taken from."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any, Final

from pytest_netbench.errors import LabError
from pytest_netbench.lab.kubernetes.client import CONFIG_MAP, Api, Kind, Object, Refused

_SECRET: Final = Kind("Secret", "v1", "secrets")
_VARIABLE: Final = re.compile(r"\$(\$|\(([A-Za-z_][A-Za-z0-9_.-]*)\))")


class Missing(LabError):
    """A container's variable is taken from something that is not there."""


async def variables(api: Api, pod: Object, container: Mapping[str, Any], *, address: str, host: str) -> dict[str, str]:
    """The variables of a container.

    Args:
        api: Of the machine.
        pod: Which.
        container: Which of the pod.
        address: Of the pod.
        host: Of its machine.

    Raises:
        Missing: An object that a value is taken from is not there.
    """
    found: dict[str, str] = {}
    space = pod["metadata"]["namespace"]
    for source in container.get("envFrom") or ():
        for field, kind in (("configMapRef", CONFIG_MAP), ("secretRef", _SECRET)):
            if field in source:
                prefix = source.get("prefix", "")
                values = await _values(api, kind, space, source[field])
                found |= {prefix + key: value for key, value in values.items()}
    for one in container.get("env") or ():
        value = await _value(api, pod, one, address=address, host=host)
        if value is not None:
            found[one["name"]] = expanded(value, found)
    metadata = pod["metadata"]
    return {**found, "HOSTNAME": metadata["name"], "POD_NAMESPACE": space}


async def _value(api: Api, pod: Object, one: Mapping[str, Any], *, address: str, host: str) -> str | None:
    source = one.get("valueFrom")
    if source is None:
        return str(one.get("value") or "")
    if "fieldRef" in source:
        return _field(pod, source["fieldRef"]["fieldPath"], address=address, host=host)
    for field, kind in (("configMapKeyRef", CONFIG_MAP), ("secretKeyRef", _SECRET)):
        if field in source:
            wanted = source[field]
            space = pod["metadata"]["namespace"]
            values = await _values(api, kind, space, wanted)
            if wanted["key"] not in values and not wanted.get("optional"):
                raise Missing(f"couldn't find key {wanted['key']} in {kind.name} {space}/{wanted['name']}")
            return values.get(wanted["key"])
    raise Missing(f"variable {one['name']}: values of the kind {next(iter(source))} are not available in this cluster")


def _field(pod: Object, path: str, *, address: str, host: str) -> str:
    metadata, spec = pod["metadata"], pod["spec"]
    known = {
        "metadata.name": metadata["name"],
        "metadata.namespace": metadata["namespace"],
        "metadata.uid": metadata["uid"],
        "spec.nodeName": spec.get("nodeName", ""),
        "spec.serviceAccountName": spec.get("serviceAccountName", "default"),
        "status.podIP": address,
        "status.podIPs": address,
        "status.hostIP": host,
    }
    if path not in known:
        raise Missing(f"the field {path} is not available as a variable in this cluster")
    return str(known[path])


async def _values(api: Api, kind: Kind, space: str, wanted: Mapping[str, Any]) -> dict[str, str]:
    try:
        found = await api.read(kind, space, wanted["name"])
    except Refused as error:
        if wanted.get("optional"):
            return {}
        raise Missing(f'{kind.name.lower()} "{wanted["name"]}" not found') from error
    data = found.get("data") or {}
    if kind is _SECRET:
        return {key: base64.b64decode(value).decode("utf-8", "replace") for key, value in data.items()}
    return dict(data)


def expanded(text: str, values: Mapping[str, str]) -> str:
    """The text with ``$(NAME)`` replaced by values; a name that is not known stays."""

    def replaced(match: re.Match[str]) -> str:
        return "$" if match[1] == "$" else values.get(match[2], match[0])

    return _VARIABLE.sub(replaced, text)
