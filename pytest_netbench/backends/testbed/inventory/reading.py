"""Reads the file of a testbed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from pytest_netbench import parts
from pytest_netbench.backends.testbed.inventory.file import DURATIONS, SECRETS, Entry, TestbedFile
from pytest_netbench.backends.testbed.inventory.foreign import others
from pytest_netbench.documents import reading
from pytest_netbench.documents.durations import spelling, with_seconds
from pytest_netbench.documents.explaining import first_problem
from pytest_netbench.documents.problems import SyntaxProblem, unknown
from pytest_netbench.documents.tree import Tree
from pytest_netbench.errors import UsageError
from pytest_netbench.lab.attaching.inventories import ansible, nornir
from pytest_netbench.lab.attaching.site import Cable, Device, Site
from pytest_netbench.model.topology import Endpoint

VARIABLE: Final = "NETBENCH_TESTBED"
"""The variable of the environment that names the file."""
_EXAMPLE: Final = "disposable: true"
_SPELLING: Final = {**spelling(DURATIONS), "known_hosts": "known-hosts", "host_key": "host-key"}


@dataclass(frozen=True, kw_only=True)
class Known:
    """A device of a testbed, with all that its file says.

    Attributes:
        device: What it is.
        entry: How it is reached.
        place: File and line, for messages.
    """

    device: Device
    entry: Entry
    place: tuple[Path, int]

    @property
    def address(self) -> str:
        """Where it answers."""
        return self.entry.address or self.device.name

    @property
    def port(self) -> int:
        """At which port."""
        return self.entry.port or (23 if self.entry.connection == "telnet" else 22)

    @property
    def login(self) -> str:
        """A command line by which a person logs in."""
        if self.entry.connection == "telnet":
            return f"telnet {self.address} {self.port}"
        user = "" if self.entry.user is None else f"{self.entry.user}@"
        return f"ssh -p {self.port} {user}{self.address}"


@dataclass(frozen=True, kw_only=True)
class Testbed:
    """All that a file says.

    Attributes:
        path: The file.
        devices: By name.
        site: The devices and their cables.
        wait_s: How long a device is waited for.
        prompt_s: Within which time a device shows its prompt.
    """

    __test__ = False  # no class of tests, whatever its name

    path: Path
    devices: Mapping[str, Known]
    site: Site
    wait_s: float
    prompt_s: float


def named() -> Path | None:
    """The file that the environment names."""
    value = os.environ.get(VARIABLE)
    return Path(value).expanduser().absolute() if value else None


def read(path: Path) -> Testbed:
    """Read and check the file of a testbed.

    Raises:
        UsageError: What is wrong, and where.
    """
    if path.is_dir() or path.suffix.lower() not in reading.SUFFIXES:
        raise UsageError(_wrap(path), path=path)
    tree = reading.read(path, error=UsageError, example=_EXAMPLE)
    if not tree.value.keys() & {"devices", "inventory", "disposable"} and (
        ansible.is_ansible(tree) or nornir.is_nornir(tree)
    ):
        raise UsageError(_wrap(path), path=path)
    _refuse_secrets(tree, path)
    file = _validated(tree, path)
    devices = {known.device.name: known for known in _devices(file, tree, path)}
    if not devices:
        raise UsageError("names no devices: give `devices:`, or `inventory:`", path=path)
    _check_nodes(devices)
    site = Site(
        devices={name: known.device for name, known in devices.items()}, cables=_cables(file, tree, path, devices)
    )
    return Testbed(path=path, devices=devices, site=site, wait_s=file.wait_s, prompt_s=file.prompt_s)


def _wrap(path: Path) -> str:
    return (
        "is no testbed. If it is an inventory of Ansible or Nornir, write a file beside it:"
        f" `inventory: {path.name}` and, if the configurations of its devices may be exchanged, `disposable: true`"
    )


def _refuse_secrets(tree: Tree, path: Path) -> None:
    """Refuse passwords in the file, before anything prints them."""
    for where, one in tree.scalars():
        if where and where[-1] in SECRETS and one.value is not None:
            raise UsageError(
                f"{'.'.join(map(str, where))}: a password is never written into this file; put it into a variable of"
                f" the environment, and its name here: `{where[-1]}: {{env: NAME}}`",
                path=path,
                line=one.line,
            )


def _validated(tree: Tree, path: Path) -> TestbedFile:
    try:
        with_seconds(tree, DURATIONS, path=path)
        return TestbedFile.model_validate(tree.plain())
    except SyntaxProblem as problem:
        raise UsageError(problem.message, path=path, line=problem.line) from None
    except ValidationError as error:
        message, line = first_problem(error, tree, TestbedFile, spelling=_SPELLING)
        raise UsageError(message, path=path, line=line) from None


def _devices(file: TestbedFile, tree: Tree, path: Path) -> Iterator[Known]:
    """Yield each device: what its own entry says, then another inventory, then the defaults."""
    found: dict[str, tuple[dict[str, Any], tuple[Path, int]]] = {}
    if file.inventory is not None:
        found |= others(path.parent / Path(file.inventory).expanduser())
    for name in file.devices:
        own = _entry(name, tree, path).model_dump(exclude_none=True)
        before, place = found.get(name, ({}, (path, tree.line_of(("devices", name)))))
        found[name] = ({**before, **own}, place)
    common = {"disposable": file.disposable, **file.defaults.model_dump(exclude_none=True)}
    for name, (values, place) in found.items():
        entry = Entry.model_validate({**common, **values})
        yield Known(device=_device(name, entry, place), entry=entry, place=place)


def _entry(name: str, tree: Tree, path: Path) -> Entry:
    """What the file itself says of a device."""
    written = tree.at(("devices", name))
    if written is None or written.value is None:
        return Entry()
    try:
        return Entry.model_validate(written.plain())
    except ValidationError as error:
        message, line = first_problem(error, written, Entry, spelling=_SPELLING)
        raise UsageError(f"device {name!r}: {message}", path=path, line=line) from None


def _device(name: str, entry: Entry, place: tuple[Path, int]) -> Device:
    path, line = place
    if entry.dialect is None:
        raise UsageError(f"device {name!r} has no dialect: give `dialect:`", path=path, line=line)
    if entry.dialect not in parts.names("dialects"):
        raise UsageError(
            f"device {name!r}: {unknown('dialect', entry.dialect, parts.names('dialects'))}", path=path, line=line
        )
    return Device(
        name=name,
        dialect=entry.dialect,
        node=entry.node,
        interfaces=entry.interfaces or (),
        management=entry.management,
    )


def _check_nodes(devices: Mapping[str, Known]) -> None:
    seen: dict[str, Known] = {}
    for known in devices.values():
        other = seen.setdefault(known.device.stands_for, known)
        if other is not known:
            path, line = known.place
            raise UsageError(
                f"devices {other.device.name!r} and {known.device.name!r} both stand for node"
                f" {known.device.stands_for!r}",
                path=path,
                line=line,
            )


def _cables(file: TestbedFile, tree: Tree, path: Path, devices: Mapping[str, Known]) -> tuple[Cable, ...] | None:
    if file.cables is None:
        return None
    used: dict[tuple[str, str], str] = {}
    found = []
    for index, text in enumerate(file.cables):
        line = tree.line_of(("cables", index))
        ends = [part.split(maxsplit=1) for part in text.split("<->")]
        if len(ends) < 2 or any(len(end) != 2 for end in ends):
            raise UsageError(f"cable {text!r}: expected such as 'R1 Gi0/0 <-> R2 Gi0/0'", path=path, line=line)
        for name, interface in ends:
            if name not in devices:
                raise UsageError(f"cable {text!r}: {unknown('device', name, devices)}", path=path, line=line)
            key = (name, _full(devices[name].device, interface, text, path, line))
            if key in used:
                raise UsageError(
                    f"cable {text!r}: {name} {interface.strip()} has the cable {used[key]!r} already",
                    path=path,
                    line=line,
                )
            used[key] = text
        found.append(Cable(tuple(Endpoint(node=name, interface=interface.strip()) for name, interface in ends)))
    return tuple(found)


def _full(device: Device, interface: str, text: str, path: Path, line: int) -> str:
    try:
        return str(parts.load("dialects", device.dialect)().interface(interface.strip()))
    except ValueError as error:
        raise UsageError(f"cable {text!r}: {error}", path=path, line=line) from None
