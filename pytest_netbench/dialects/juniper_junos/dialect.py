"""The dialect ``juniper_junos``: configurations of Junos, with braces or as ``set`` lines."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.dialects.juniper_junos import interfaces, names
from pytest_netbench.dialects.juniper_junos.syntax import SYNTAX


class JuniperJunosDialect:
    """Routers, switches and firewalls whose command line is that of Junos."""

    name = "juniper_junos"
    syntax = SYNTAX
    hint = (
        "The command line is that of Junos. Configuration commands are those of its configuration mode: `set`, "
        "`delete`, `deactivate`, `activate`, `insert`, `rename`, and `edit`, `up`, `top`, `exit`. The commands of a "
        "request are committed together or not at all."
    )

    interface = staticmethod(interfaces.canonical)
    normalise = staticmethod(names.normalise)
    rearrange = staticmethod(names.rearrange)

    def free_names(self) -> Sequence[tuple[str, str]]:
        return names.FREE_NAMES

    ordered_block = staticmethod(names.ordered_block)

    def manual(self) -> Sequence[ManualSection]:
        return ()
