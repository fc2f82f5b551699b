"""Start and reload a device: type its factory config and its startup config line by line."""

from __future__ import annotations

import re

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.model.trial import RefusedLine, in_one_line
from pytest_netbench.platforms.cisco_ios.compile.context import BOOTING
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.grammar.grammar import CONFIG
from pytest_netbench.platforms.cisco_ios.session.session import Session

_INTERFACE_LINE = re.compile(
    r"\s*int(?:e(?:r(?:f(?:a(?:ce?)?)?)?)?)?\s+(?!range\b)([A-Za-z-]+\s*[\d/]+)\s*$", re.IGNORECASE
)
_COMMENT = re.compile(r"\s*(!|$)")
_NOT_CONFIG = re.compile(r"\s*(end|enable|conf(igure)? t(erminal)?|wr(ite)?( mem(ory)?)?)\s*")


def boot(device: Device, startup_config: str) -> None:
    """Start FRR and load the startup config; refused lines are in ``device.refused_startup_lines``."""
    device.start()
    device.startup_config = startup_config
    device.live[BOOTING] = True
    with device.batch():
        load(device)


def reload(device: Device) -> None:
    """Stop all programs, and start again with the saved config."""
    with device.batch():
        device.restart()
        load(device)


def load(device: Device) -> None:
    """Type the factory config and the startup config of a device, skipping lines that it refuses."""
    device.config = Section(mode=CONFIG, parent=None)
    text = device.startup_config
    device.physical = (*device.cabled, *(name for name in _uncabled(text) if name not in device.cabled))
    session = Session(device, booting=True)
    session.enter("configure terminal")
    for line in factory_config(device):
        words = session.enter(line)
        assert not words, f"{line!r}: {words}"
    for entry in device.config:
        entry.factory = True
    session.enter("end")
    session.enter("configure terminal")
    device.refused_startup_lines = []
    skipped_below: int | None = None  # indentation of a refused line: lines indented below it have no section
    for number, line in enumerate(text.splitlines(), start=1):
        if (_COMMENT.match(line) or _NOT_CONFIG.fullmatch(line)) and not session.collecting:
            continue
        indent = len(line) - len(line.lstrip())
        if skipped_below is not None and indent > skipped_below and not session.collecting:
            message = "not entered: the line above that opens its section was refused"
        else:
            skipped_below = None
            words = session.enter(line)
            if not session.refused:
                continue
            skipped_below = indent
            message = in_one_line(words, line)
        device.refused_startup_lines.append(
            RefusedLine(node=device.node.name, line_number=number, line=line, message=message)
        )
    device.touch()


def factory_config(device: Device) -> list[str]:
    """Return the config of a device before its startup config: its ports and IOS's defaults."""
    lines = [line for area in device.grammar.areas for line in area.factory]
    lines.append(f"hostname {device.node.name}")
    for name in device.physical:
        lines += [f"interface {name}", "exit"]
    return lines


def _uncabled(text: str) -> list[str]:
    """Return ports that the startup config names and the topology does not: the device has them, without a cable."""
    found = []
    for line in text.splitlines():
        name = _INTERFACE_LINE.match(line)
        if name is None:
            continue
        try:
            parsed = interfaces.parse(name[1])
        except ValueError:
            continue
        if not parsed.is_virtual and str(parsed) not in found:
            found.append(str(parsed))
    return found
