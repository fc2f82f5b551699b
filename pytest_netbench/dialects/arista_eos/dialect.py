"""The dialect ``arista_eos``: the command line of Arista EOS 4, from its documentation and public configs."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_netbench.dialects.arista_eos import interfaces, names, order
from pytest_netbench.dialects.arista_eos.writing import SYNTAX
from pytest_netbench.dialects.base import ManualSection


class AristaEosDialect:
    """Switches and routers whose command line is that of EOS."""

    name = "arista_eos"
    syntax = SYNTAX
    reading_hint = "The command line is that of Arista EOS in privileged mode."
    hint = (
        "The command line is that of Arista EOS in privileged mode; update-cfg begins in configuration mode. "
        "Ethernet ports switch frames unless they have `no switchport`; nothing is routed without `ip routing`."
    )

    interface = staticmethod(interfaces.canonical)
    normalise = staticmethod(names.normalise)
    rearrange = staticmethod(order.rearrange)

    def free_names(self) -> Sequence[tuple[str, str]]:
        return names.FREE_NAMES

    ordered_block = staticmethod(order.ordered_block)

    def manual(self) -> Sequence[ManualSection]:
        return ()
