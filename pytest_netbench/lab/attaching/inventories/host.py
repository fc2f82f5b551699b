"""A device as an inventory of another program names it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_netbench.documents.tree import Tree
from pytest_netbench.errors import UsageError

_FROM_ENVIRONMENT: Final = re.compile(
    r"\{\{\s*(?:lookup|query)\(\s*['\"](?:ansible\.builtin\.)?env['\"]\s*,\s*['\"](\w+)['\"].*\}\}"
)
_DIALECTS: Final = {
    **dict.fromkeys(("ios", "cisco_ios", "cisco.ios.ios", "cisco_xe", "iosxe", "cisco_iosxe"), "cisco_ios"),
    **dict.fromkeys(("eos", "arista_eos", "arista.eos.eos"), "arista_eos"),
    **dict.fromkeys(("junos", "juniper_junos", "junipernetworks.junos.junos"), "juniper_junos"),
    **dict.fromkeys(("linux",), "linux"),
    **dict.fromkeys(("frr", "frrouting", "frr.frr.frr"), "frr"),
}


@dataclass(frozen=True)
class Secret:
    """A password: the variable of the environment that has it, or else what the inventory itself says."""

    variable: str | None = None
    written: str | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class Host:
    """What an inventory says of a device; ``None`` for what it does not say.

    Attributes:
        name: Its name.
        path: The file that names it.
        line: Where in it.
        address: Name or address for connections.
        port: TCP port.
        dialect: Name of its configuration language.
        user: Who logs in.
        password: Of the login.
        enable: Of the privileged mode.
        key: File of the private key.
    """

    name: str
    path: Path
    line: int
    address: str | None = None
    port: int | None = None
    dialect: str | None = None
    user: str | None = None
    password: Secret | None = None
    enable: Secret | None = None
    key: str | None = None


def dialect_of(platform: Any, path: Path, line: int) -> str | None:
    """The dialect that an inventory calls ``platform``.

    Raises:
        UsageError: Nothing is called so here.
    """
    if platform is None:
        return None
    if str(platform) not in _DIALECTS:
        raise UsageError(f"unknown platform {platform!r} (known: {', '.join(_DIALECTS)})", path=path, line=line)
    return _DIALECTS[str(platform)]


def secret_of(value: Any) -> Secret | None:
    """Where a secret is, by the value that an inventory has for it."""
    if value is None:
        return None
    found = _FROM_ENVIRONMENT.fullmatch(str(value).strip())
    return Secret(variable=found[1]) if found else Secret(written=str(value))


def port_of(value: Any, path: Path, line: int) -> int | None:
    """A TCP port.

    Raises:
        UsageError: It is none.
    """
    if value is None:
        return None
    text = str(value)
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65_536:
        raise UsageError(f"{text!r} is no port (1 to 65535)", path=path, line=line)
    return int(text)


def mapping(tree: Tree | None, path: Path, what: str) -> dict[str, Tree]:
    """The entries of a mapping; none if it is left empty.

    Raises:
        UsageError: It is something else.
    """
    if tree is None or tree.value is None:
        return {}
    if not isinstance(tree.value, dict):
        raise UsageError(f"expected a mapping for {what}", path=path, line=tree.line)
    return dict(tree.value)
