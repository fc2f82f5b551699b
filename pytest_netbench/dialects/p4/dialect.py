"""The dialect ``p4``: the program of a switch, and the entries of its tables in free order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.dialects.p4 import lines
from pytest_netbench.dialects.p4.state_checks import STATE_CHECKS
from pytest_netbench.dialects.p4.syntax import P4Syntax
from pytest_netbench.dialects.syntax import Tree

MOST_PORTS: Final = 64
_INTERFACE: Final = re.compile(r"eth(0|[1-9]\d*)")


class P4Dialect:
    """Switches that run a P4 program in bmv2's ``simple_switch``."""

    name = "p4"
    state_checks = STATE_CHECKS
    syntax = P4Syntax()
    hint = (
        "The node is a P4 switch (bmv2's simple_switch); ethN is port N. Commands are as those of bmv2's command line,"
        " but name an entry by its match key and not by a handle:"
        " `table_add ipv4_lpm forward 10.0.2.0/24 => 02:00:00:00:02:01 2`, `table_modify ...`,"
        " `table_delete ipv4_lpm 10.0.2.0/24`, `table_set_default ipv4_lpm drop`."
        " Read-only access answers `help`, `show_tables`, `table_info TABLE`, `table_dump TABLE`, `show_actions`,"
        " `show_ports`, `show_counters`, `counter_read COUNTER [INDEX]`, `show_registers`,"
        " `register_read REGISTER [INDEX]`, `show_program`, `show_log`."
    )

    def interface(self, name: str) -> str:
        found = _INTERFACE.fullmatch(name)
        if found is None or int(found[1]) >= MOST_PORTS:
            raise ValueError(f"{name!r} is no interface of a P4 switch (expected eth0 to eth{MOST_PORTS - 1})")
        return name

    def normalise(self, line: str) -> str | None:
        words = " ".join(line.split())
        if not words or words.startswith("#"):
            return None
        with suppress(ValueError):  # then it is compared as it is
            return lines.form(lines.parse(words))
        return words

    def rearrange(self, tree: Sequence[Tree]) -> tuple[Tree, ...]:
        return tuple(tree)

    def free_names(self) -> Sequence[tuple[str, str]]:
        return ()

    def ordered_block(self, parents: tuple[str, ...], line: str) -> str | None:  # entries have no order
        return None

    def manual(self) -> Sequence[ManualSection]:
        return ()
