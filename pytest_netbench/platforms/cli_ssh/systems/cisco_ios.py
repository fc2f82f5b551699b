"""Cisco IOS 15."""

from __future__ import annotations

import re
from typing import Final

from pytest_netbench.platforms.cli_ssh import cisco_routes
from pytest_netbench.platforms.cli_ssh.system import Routing, System

CISCO_IOS: Final = System(
    dialect="cisco_ios",
    unpaged="terminal length 0",
    settings=("terminal width 511",),
    reads=re.compile(r"^\s*sh(?:o|ow)?\s", re.IGNORECASE),
    writes=re.compile(r"\|\s*(?:red|app|tee)", re.IGNORECASE),
    operating=re.compile(
        r"^\s*(?:conf(?:i|ig|igu|igur|igure)?|sh(?:o|ow)?|clear?|wr(?:i|it|ite)?|copy|delete|debug|undebug|ping"
        r"|traceroute|terminal|reload|disable|dir|more|verify|enable$)(?:\s|$)",
        re.IGNORECASE,
    ),
    alone=re.compile(
        r"^\s*(?:do(?:-exec)?|end|erase|format|test|crypto|no\s+crypto|no\s+username|ip\s+ssh|tclsh|event|license)(?:\s|$)",
        re.IGNORECASE,
    ),
    refusals={
        re.compile(
            r"^\s*(?:do\s+)?rel(?:o|oa|oad)?(?:\s|$)", re.IGNORECASE
        ): "% A reload would end the session with this device"
    },
    text=re.compile(
        r"^\s*banner\s+(?:(?:motd|login|exec|incoming|slip-ppp|prompt-timeout)\s+)?(?P<delimiter>\^C|\S)", re.IGNORECASE
    ),
    endless="% The banner has no closing delimiter",
    refused=re.compile(r"^\s*(?:%|\^\s*$)", re.MULTILINE),
    version=("show version", re.compile(r"Version ([^,\s]+)")),
    ages=re.compile(r"\b(?:\d+:\d\d:\d\d|\d+[dwy]\d+[hdw])\b"),
    routing=Routing(request=cisco_routes.request, parse=cisco_routes.parse),
)
