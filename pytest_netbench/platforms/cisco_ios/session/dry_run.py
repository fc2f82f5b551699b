"""A trial of a configuration: what it would make of the running config, without applying anything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pytest_netbench.errors import StartupConfigRejected
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.session import startup
from pytest_netbench.platforms.cisco_ios.session.session import Session

_NOT_CONFIG = re.compile(r"\s*(!.*|end|version .*|Building configuration.*|Current configuration.*)?\s*$")


class DryRun(Device):
    """A device that parses and stores lines, but applies nothing.

    Args:
        device: The device whose ports and grammar it uses.
        text: The whole configuration.

    Raises:
        StartupConfigRejected: The text contains an invalid line.
    """

    def __init__(self, device: Device, text: str) -> None:
        super().__init__(device.node, device.grammar)
        self.live = device.live
        self.startup_config = text
        startup.load(self)
        for refused in self.refused_startup_lines[:1]:
            raise StartupConfigRejected(
                node=refused.node,
                line_number=refused.line_number,
                line=refused.line,
                device_message=refused.message,
            )

    def commit(self) -> None:
        """Do nothing."""


def type_all(device: Device, lines: Sequence[str]) -> str:
    """Type configuration lines as ``copy FILE running-config`` does; return messages about refused lines."""
    session = Session(device)
    session.enter("configure terminal")
    words = []
    for line in lines:
        if _NOT_CONFIG.match(line) and not session.collecting:
            continue
        said = session.enter(line)
        if said.strip():
            words.append(f"{line}\n{said}" if "^" in said else said)
    session.interrupt()
    return "".join(words)


def replace(device: Device, text: str) -> str | None:
    """Make ``text`` the whole running config; return ``None``, or the device's messages about its errors."""
    try:
        dry_run = DryRun(device, text)
    except StartupConfigRejected as error:
        return f"{error.line}\n{error.device_message}\n"
    with device.batch():
        device.config = dry_run.config
        device.physical = dry_run.physical
        device.touch()
    return None


def merged(device: Device, lines: Sequence[str]) -> tuple[DryRun, str]:
    """Return the device after typing ``lines``, and its messages about refused lines."""
    dry_run = DryRun(device, device.running_config())
    return dry_run, type_all(dry_run, lines)


def seeds(device: Device) -> set[tuple[str, ...]]:
    """Return the initial lines of sections, each with the lines above it."""
    return set(_seeds(device, device.config, ()))


def _seeds(device: Device, section: Section, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for entry in section:
        if entry.children is None:
            continue
        path = (*above, entry.text)
        given = device.grammar.mode(entry.children.mode).seeds
        if given is not None:
            yield from ((*path, line) for line in given(entry, device.role))
        yield from _seeds(device, entry.children, path)
