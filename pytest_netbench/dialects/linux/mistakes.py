"""Mistakes in commands of a Linux node: interfaces that it does not have, addresses and routes that it refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from ipaddress import ip_address, ip_interface
from typing import Final

from pytest_netbench.dialects.addresses import impossible, words, wrong_address, wrong_prefix
from pytest_netbench.dialects.base import Mistake
from pytest_netbench.documents.problems import unknown

_SHELL: Final = re.compile(r"[$`(){}|;&<>]|\b(for|while|if|do|done|fi|then|else|eval|function)\b")
_IP: Final = re.compile(r"\s*(?:(?:/usr)?/s?bin/)?ip (?:-\S+ )*")
_ADDS: Final = ("add", "a", "replace", "change", "append")
_CREATES: Final = re.compile(
    r"\bip (?:-\S+ )*(?:link|tunnel|tuntap|l) (?:add|a)\b|\bip link set \S+ name\b"
    r"|\b(?:brctl|vconfig|wg|openvpn|teamd)\b"
)
_OWN: Final = ("lo", "all", "default")
_KINDS: Final = ("unicast", "local", "broadcast", "multicast", "throw", "unreachable", "prohibit", "blackhole", "nat")


def mistakes(lines: Sequence[str], *, ports: Sequence[str], before: Sequence[str] = ()) -> list[Mistake]:
    """Mistakes in lines of a startup config, or in commands; see ``Proofreads``."""
    reader = _Reader(ports)
    for line in before:
        list(reader.read(line))
    return [
        Mistake(line=number, offset=at, message=message)
        for number, line in enumerate(lines)
        for at, message in reader.read(line)
    ]


class _Reader:
    """Reads commands in order. After a line that a shell must interpret, it no longer says what a node lacks."""

    def __init__(self, ports: Sequence[str]) -> None:
        self._ports = dict.fromkeys(ports)
        self._made: set[str] = set(_OWN)
        self._reached: list[object] = []
        self._certain = True

    def read(self, line: str) -> Iterator[tuple[int, str]]:
        if line.lstrip().startswith("#") or not line.strip():
            return
        if _SHELL.search(line):
            self._certain = False
            return
        if _CREATES.search(line):
            self._made.update(line.split())
            return
        command = _IP.match(line)
        if command is None:
            if not line.split(maxsplit=1)[0].endswith("sysctl"):
                yield from self._device(words(line))
            return
        parts = [(word, at) for word, at in words(line) if at >= command.end()]
        names = [word for word, _ in parts]
        if len(parts) > 2 and "address".startswith(names[0]) and names[0].startswith("a") and names[1] in _ADDS:
            yield from self._address(parts[2])
        elif len(parts) > 2 and names[0] in ("route", "r", "ro") and names[1] in _ADDS:
            yield from self._route(parts[2:])
        else:
            yield from ((at, message) for at, message in impossible(line))
        yield from self._device(parts)

    def _address(self, part: tuple[str, int]) -> Iterator[tuple[int, str]]:
        word, at = part
        if (message := wrong_address(word)) is not None:
            yield at, message
        else:
            self._reached.append(ip_interface(word).network)

    def _route(self, parts: list[tuple[str, int]]) -> Iterator[tuple[int, str]]:
        if parts[0][0] in _KINDS:
            parts = parts[1:]
        names = [word for word, _ in parts]
        if names and names[0] != "default" and (message := wrong_prefix(names[0])) is not None:
            yield parts[0][1], message
            return
        for index, (word, _) in enumerate(parts[:-1]):
            if word != "via":
                continue
            skip = 2 if parts[index + 1][0] in ("inet", "inet6") else 1
            gateway = parts[min(index + skip, len(parts) - 1)]
            if (message := self._gateway(gateway[0], names)) is not None:
                yield gateway[1], message
        if "via" not in names and "nexthop" not in names and "dev" in names and names and names[0] != "default":
            self._reached.append(ip_interface(names[0]).network)

    def _gateway(self, word: str, names: Sequence[str]) -> str | None:
        try:
            gateway = ip_address(word)
        except ValueError:
            return f"{word!r} is no IP address"
        if gateway.is_link_local or "onlink" in names or not self._certain or not self._reached or gateway.version == 6:
            return None
        if any(gateway in network for network in self._reached):  # type: ignore[operator]
            return None
        shown = ", ".join(map(str, self._reached))
        return f"gateway {word} is in no network of the node ({shown}), so its kernel refuses the route"

    def _device(self, parts: Sequence[tuple[str, int]]) -> Iterator[tuple[int, str]]:
        if not self._certain:
            return
        names = [word for word, _ in parts]
        for index, (word, _) in enumerate(parts[:-1]):
            is_link = word == "set" and index == 1 and names[0] in ("link", "l")
            if word != "dev" and not (is_link and names[2] != "dev"):
                continue
            name, at = parts[index + 1]
            if name not in self._made and name not in self._ports and name.partition("@")[0] not in self._ports:
                yield at, unknown("interface with a link", name, self._ports)
