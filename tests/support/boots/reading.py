"""Reads the state of a running network once: what its nodes print, as lines behind the one that opens their section."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from pytest_netbench import parts
from pytest_netbench.dialects.mutations import Mutable
from pytest_netbench.evaluation.observation import NotThere, View
from pytest_netbench.lab.devices import Devices
from pytest_netbench.lab.protocols import Lab
from tests.support.boots.allowed import without
from tests.support.boots.asked import commands, commands_of_vrfs

State = Mapping[tuple[str, str], Counter[str]]
"""By node and command: the lines, and how often each occurs. The order of lines is no state."""
_READERS: Final = 8
_LINK_LOCAL: Final = "fe80::/64"
"""Of several interfaces zebra uses any."""
_VRF: Final = re.compile(r"^(?:ip vrf|vrf definition|vrf) (\S+)$", re.MULTILINE)


def state(lab: Lab) -> State:
    """Return what all nodes of ``lab`` print now, but for what may differ between two boots."""
    view = View(lab, Devices(lab))
    with ThreadPoolExecutor(max_workers=_READERS) as readers:
        found = readers.map(lambda node: _read(view, lab, node), lab.nodes)
        return {key: lines for one in found for key, lines in one}


def _read(view: View, lab: Lab, node: str) -> list[tuple[tuple[str, str], Counter[str]]]:
    """What a node prints. That it does not answer is a state, too: a fault may have crashed or detached it."""
    try:
        return list(_of(view, lab, node))
    except NotThere:
        return [((node, "any command"), Counter(["no answer"]))]


def _of(view: View, lab: Lab, node: str) -> Iterator[tuple[tuple[str, str], Counter[str]]]:
    platform = lab.nodes[node].platform
    asked = commands(platform)
    if "show running-config" in asked:
        asked += commands_of_vrfs(platform, _VRF.findall(view.output(node, "show running-config")))
    for command in asked:
        yield (node, command), Counter(_lines(_counted(platform, view.output(node, command)), command))
    yield (node, "routes"), Counter(str(route) for route in view.table(node) or () if route.prefix != _LINK_LOCAL)


def _counted(platform: str, text: str) -> str:
    dialect = parts.load("dialects", platform)()
    for pattern, instead in dialect.mutations().uncounted if isinstance(dialect, Mutable) else ():
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    return text


def _lines(text: str, command: str) -> Iterator[str]:
    """Yield the lines, each behind those above it that are indented less."""
    above: list[tuple[int, str]] = []
    for line in text.expandtabs().splitlines():
        words = " ".join(without(line, command).split())
        if not words:
            continue
        indent = len(line) - len(line.lstrip())
        above = [one for one in above if one[0] < indent]
        above.append((indent, words))
        yield " / ".join(words for _, words in above)
