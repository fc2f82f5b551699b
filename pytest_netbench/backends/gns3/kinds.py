"""The table of kinds: which template stands for which dialect."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.kinds.logins import Login
from pytest_netbench.lab.kinds.table import VARIABLE, read

__all__ = ["VARIABLE", "Kind", "table", "template_of"]

_MOST_NAMES = 12


class Kind(Login):
    """One entry of the table, see ``lab/kinds/kinds.yaml``."""

    template: str
    driver: str
    console: Literal["vpcs", "shell", "device"] = "device"
    boot_s: float = Field(300.0, alias="boot-s", gt=0)
    startup_file: str | None = Field(None, alias="startup-file")
    properties: Mapping[str, Any] = {}


def table() -> dict[str, Kind]:
    """By dialect: what stands for it, from the built-in table and the user's own.

    Raises:
        UsageError: The user's file cannot be read, or is no such table.
    """
    return read(Kind, "gns3")


def template_of(name: str, templates: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The template of a name, which is found anew on each server.

    Raises:
        RequirementMissing: There is none; names near ones.
    """
    named = [one for one in templates if one["name"] == name]
    named += [one for one in templates if str(one["name"]).casefold() == name.casefold()]
    if named:
        return named[0]
    names = sorted(str(one["name"]) for one in templates)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5) or [
        one for one in names if name.casefold() in one.casefold()
    ]
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    known = ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")
    raise RequirementMissing(
        f"the GNS3 server has no template {name!r} (known: {known}).{hint}",
        remedy=f"make it in GNS3, or name another one in the file of {VARIABLE}",
    )
