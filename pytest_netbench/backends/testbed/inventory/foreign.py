"""Devices of an inventory of Ansible or Nornir, as entries of a testbed's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_netbench.documents import reading
from pytest_netbench.errors import UsageError
from pytest_netbench.lab.attaching.inventories import ansible, nornir
from pytest_netbench.lab.attaching.inventories.host import Host, Secret


def others(path: Path) -> dict[str, tuple[dict[str, Any], tuple[Path, int]]]:
    """By name: the values of an entry, and the file and line of the device.

    Raises:
        UsageError: The inventory cannot be read, or has a password written into it.
    """
    return {host.name: (_values(host), (host.path, host.line)) for host in _hosts(path)}


def _hosts(path: Path) -> list[Host]:
    if path.is_dir():
        return nornir.read(path)
    if path.suffix.lower() in reading.YAML_SUFFIXES:
        tree = reading.read(path, error=UsageError, example="all: {hosts: {}}")
        if not ansible.is_ansible(tree) and nornir.is_nornir(tree):
            return nornir.read(path)
    return ansible.read(path)


def _values(host: Host) -> dict[str, Any]:
    values = {
        "address": host.address,
        "port": host.port,
        "dialect": host.dialect,
        "user": host.user,
        "password": _variable(host.password, host, "password"),
        "enable": _variable(host.enable, host, "enable"),
        "key": host.key,
    }
    return {name: value for name, value in values.items() if value is not None}


def _variable(secret: Secret | None, host: Host, field: str) -> dict[str, str] | None:
    if secret is None:
        return None
    if secret.variable is None:
        raise UsageError(
            f"{host.name}: a password is written into the inventory; take it out and put it into a variable of the"
            " environment: in Ansible `\"{{ lookup('env', 'NAME') }}\"`, for Nornir at the device or in `defaults:`"
            f" of the testbed's file `{field}: {{env: NAME}}`",
            path=host.path,
            line=host.line,
        )
    return {"env": secret.variable}
