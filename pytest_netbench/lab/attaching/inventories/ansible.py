"""Inventories of Ansible, in YAML or INI, with the variables of groups and hosts beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_netbench.documents import reading
from pytest_netbench.documents.tree import Tree
from pytest_netbench.errors import UsageError
from pytest_netbench.lab.attaching.inventories import ini
from pytest_netbench.lab.attaching.inventories.host import Host, dialect_of, mapping, port_of, secret_of

_OF_GROUPS: Final = ("hosts", "children", "vars")
_EXAMPLE: Final = "all: {hosts: {R1: {ansible_host: 192.0.2.1}}}"


@dataclass(frozen=True)
class _Value:
    value: Any
    path: Path
    line: int


_Values = Mapping[str, _Value]


@dataclass
class _Found:
    """A host, and its variables, the nearest last."""

    path: Path
    line: int
    groups: dict[str, _Values] = field(default_factory=dict)
    own: dict[str, _Value] = field(default_factory=dict)


def is_ansible(tree: Tree) -> bool:
    """Whether a YAML file looks like an inventory of Ansible."""
    return isinstance(tree.value, dict) and any(
        isinstance(group.value, dict) and any(key in group.value for key in _OF_GROUPS) for group in tree.value.values()
    )


def read(path: Path) -> list[Host]:
    """The hosts of an inventory, in its order.

    Raises:
        UsageError: It cannot be read, or says what is not understood; names file and line.
    """
    if path.suffix.lower() in reading.SUFFIXES:
        tree = reading.read(path, error=UsageError, example=_EXAMPLE)
    else:
        tree = ini.read(path)
    found: dict[str, _Found] = {}
    for name, group in tree.value.items():
        _collect(name, group, {}, _Source(path), found)
    return [_host(name, one) for name, one in found.items()]


@dataclass(frozen=True)
class _Source:
    """The file of an inventory, and the folders of variables beside it."""

    path: Path

    def beside(self, folder: str, name: str) -> dict[str, _Value]:
        for suffix in (*reading.YAML_SUFFIXES, ""):
            file = self.path.parent / folder / f"{name}{suffix}"
            if suffix and file.is_file():
                return _values(reading.read(file, error=UsageError, example="ansible_user: lab"), file)
        return {}


def _collect(name: str, group: Tree, above: Mapping[str, _Values], source: _Source, found: dict[str, _Found]) -> None:
    parts = mapping(group, source.path, f"group {name!r}")
    for key in parts:
        if key not in _OF_GROUPS:
            raise UsageError(
                f"group {name!r}: unknown key {key!r} (known: {', '.join(_OF_GROUPS)})",
                path=source.path,
                line=group.lines[key],
            )
    values = {**_values(parts.get("vars"), source.path), **source.beside("group_vars", name)}
    if name in above:
        raise UsageError(f"group {name!r} is a child of itself", path=source.path, line=group.line)
    chain = {**above, name: values}
    for host, tree in mapping(parts.get("hosts"), source.path, f"the hosts of {name!r}").items():
        if any(sign in host for sign in "[]:"):
            raise UsageError(f"{host!r}: write each host by its own name", path=source.path, line=tree.line)
        one = found.setdefault(host, _Found(source.path, parts["hosts"].lines[host]))
        # a nearer group wins: all of its own chain are further away
        for each in chain:
            one.groups.pop(each, None)
        one.groups.update(chain)
        one.own.update({**_values(tree, source.path), **source.beside("host_vars", host)})
    for child, tree in mapping(parts.get("children"), source.path, f"the children of {name!r}").items():
        _collect(child, tree, chain, source, found)


def _values(tree: Tree | None, path: Path) -> dict[str, _Value]:
    return {
        key: _Value(one.value, path, tree.lines[key] if tree else one.line)
        for key, one in mapping(tree, path, "variables").items()
    }


def _host(name: str, found: _Found) -> Host:
    values: dict[str, _Value] = {}
    for several in (*_widest_first(found.groups), found.own):
        values.update(several)

    def get(*names: str) -> _Value | None:
        return next((values[one] for one in names if one in values), None)

    def text(*names: str) -> str | None:
        one = get(*names)
        if one is not None and "{{" in str(one.value):
            raise UsageError(f"{names[0]}: templates are not understood here", path=one.path, line=one.line)
        return None if one is None else str(one.value)

    def secret(*names: str) -> Any:
        one = get(*names)
        return None if one is None else secret_of(one.value)

    system, port = get("ansible_network_os"), get("ansible_port", "ansible_ssh_port")
    return Host(
        name=name,
        path=found.path,
        line=found.line,
        address=text("ansible_host", "ansible_ssh_host"),
        port=None if port is None else port_of(port.value, port.path, port.line),
        dialect=None if system is None else dialect_of(system.value, system.path, system.line),
        user=text("ansible_user", "ansible_ssh_user"),
        password=secret("ansible_password", "ansible_ssh_password", "ansible_ssh_pass"),
        enable=secret("ansible_become_password", "ansible_become_pass"),
        key=text("ansible_ssh_private_key_file", "ansible_private_key_file"),
    )


def _widest_first(groups: Mapping[str, _Values]) -> Iterator[_Values]:
    if "all" in groups:
        yield groups["all"]
    yield from (values for name, values in groups.items() if name != "all")
