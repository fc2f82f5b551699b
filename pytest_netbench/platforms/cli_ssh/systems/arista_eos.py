"""Arista EOS 4. Written from documentation and public data only, never tried on a device."""

from __future__ import annotations

import re
from typing import Final

from pytest_netbench.platforms.cli_ssh import json_routes
from pytest_netbench.platforms.cli_ssh.system import Routing, System

_FILTERS: Final = r"(?:b(?:egin)?|e(?:xclude)?|i(?:nclude)?|s(?:ection)?|json|no-more|nz)(?:\s|$)"

ARISTA_EOS: Final = System(
    dialect="arista_eos",
    unpaged="terminal length 0",
    settings=("terminal width 32767",),
    reads=re.compile(r"^\s*sh(?:o|ow)?\s", re.IGNORECASE),
    # a pipe to anything else is a command of the Linux beneath
    writes=re.compile(rf"[>`;]|\$\(|\|(?!\s*{_FILTERS})", re.IGNORECASE),
    operating=re.compile(
        r"^\s*(?:conf(?:i|ig|igu|igur|igure)?|sh(?:o|ow)?|clear?|wr(?:i|it|ite)?|copy|delete|debug|ping|traceroute"
        r"|terminal|reload|disable|dir|more|verify|enable$|bash|python-shell|zerotouch)(?:\s|$)",
        re.IGNORECASE,
    ),
    alone=re.compile(r"^\s*(?:end|format|crypto|security|no\s+username|event-monitor)(?:\s|$)", re.IGNORECASE),
    refusals={
        re.compile(r"^\s*(?:reload|zerotouch)(?:\s|$)", re.IGNORECASE): (
            "% A reload would end the session with this device"
        ),
        re.compile(r"^\s*(?:bash|python-shell)(?:\s|$)", re.IGNORECASE): (
            "% A shell would leave the command line of this device"
        ),
    },
    text=re.compile(
        r"^\s*(?:banner\s+(?:motd|login|exec)|comment|code(?:\s+unit\s+\S+)?|action\s+bash)\s*$", re.IGNORECASE
    ),
    ends="EOF",
    endless="% The text has no line EOF",
    refused=re.compile(r"^\s*%", re.MULTILINE),
    preamble=re.compile(r"^! (?:Command|Time|device|Last|Startup)\b.*\n", re.MULTILINE),
    version=("show version", re.compile(r"[Ss]oftware image version: (\S+)")),
    tables=("show ip route", "show ipv6 route"),
    # the table has no ages
    ages=re.compile(r"(?!)"),
    routing=Routing(request=json_routes.eos_request, parse=json_routes.eos_parse),
)
