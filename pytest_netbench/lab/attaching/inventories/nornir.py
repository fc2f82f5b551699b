"""Inventories of Nornir: a folder with ``hosts.yaml``, and ``groups.yaml`` and ``defaults.yaml`` if they are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_netbench.documents import reading
from pytest_netbench.documents.tree import Tree
from pytest_netbench.errors import UsageError
from pytest_netbench.lab.attaching.inventories.host import Host, dialect_of, mapping, port_of, secret_of

HOSTS: Final = "hosts.yaml"
_EXAMPLE: Final = "R1: {hostname: 192.0.2.1, platform: ios}"


def is_nornir(tree: Tree) -> bool:
    """Whether a YAML file looks like the hosts of Nornir."""
    return isinstance(tree.value, dict) and any(
        isinstance(one.value, dict) and ("hostname" in one.value or "platform" in one.value)
        for one in tree.value.values()
    )


def read(path: Path) -> list[Host]:
    """The hosts of an inventory, in its order.

    Args:
        path: The folder, or its file of hosts.

    Raises:
        UsageError: It cannot be read, or says what is not understood; names file and line.
    """
    file = path / HOSTS if path.is_dir() else path
    hosts = reading.read(file, error=UsageError, example=_EXAMPLE)
    groups, defaults = (_beside(file, name) for name in ("groups", "defaults"))
    return [_host(name, tree, hosts.lines[name], file, (groups, defaults)) for name, tree in hosts.value.items()]


def _beside(file: Path, name: str) -> Tree | None:
    found = next((one for suffix in (".yaml", ".yml") if (one := file.with_name(name + suffix)).is_file()), None)
    return None if found is None else reading.read(found, error=UsageError, example="platform: ios")


def _host(name: str, tree: Tree, line: int, file: Path, others: tuple[Tree | None, Tree | None]) -> Host:
    chain = list(_chain(tree, file, *others))

    def get(key: str) -> Any:
        return next((one[key].value for one in chain if key in one and one[key].value is not None), None)

    enable = _option(chain, "secret")
    return Host(
        name=name,
        path=file,
        line=line,
        address=get("hostname"),
        port=port_of(get("port"), file, line),
        dialect=dialect_of(get("platform"), file, line),
        user=get("username"),
        password=secret_of(get("password")),
        enable=secret_of(enable),
        key=_option(chain, "key_file"),
    )


def _chain(tree: Tree, file: Path, groups: Tree | None, defaults: Tree | None) -> Iterator[Mapping[str, Tree]]:
    """Yield what is said of a host, the nearest first: itself, its groups and those above them, the defaults."""
    waiting, seen = [(tree, "a host")], set[str]()
    while waiting:
        one, what = waiting.pop(0)
        entries = mapping(one, file, what)
        yield entries
        of = entries.get("groups")
        names = [str(name.value) for name in of.value] if of is not None and isinstance(of.value, list) else []
        for name in names:
            if groups is None or name not in groups.value:
                raise UsageError(f"there is no group {name!r}", path=file, line=of.line if of else None)
            if name not in seen:
                seen.add(name)
                waiting.append((groups.value[name], f"group {name!r}"))
    if defaults is not None:
        yield mapping(defaults, file, "defaults")


def _option(chain: list[Mapping[str, Tree]], name: str) -> Any:
    """An option of the connections by netmiko or napalm, of the first who has it."""
    for entries in chain:
        options = entries.get("connection_options")
        for kind in ("netmiko", "napalm", "scrapli") if options is not None else ():
            for where in ((kind, "extras", name), (kind, "extras", "optional_args", name)):
                found = options.at(where) if options is not None else None
                if found is not None:
                    return found.value
    return None
