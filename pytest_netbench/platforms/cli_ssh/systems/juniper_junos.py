"""Juniper Junos. Written from documentation and public data only, never tried on a device."""

from __future__ import annotations

import re
from typing import Final

from pytest_netbench.platforms.cli_ssh import json_routes
from pytest_netbench.platforms.cli_ssh.system import Batches, Routing, System

_CONFIGURE: Final = r"^\s*(?:configure|edit)(?:\s+(?:exclusive|private))?\s*$"

JUNIPER_JUNOS: Final = System(
    dialect="juniper_junos",
    unpaged="set cli screen-length 0",
    settings=("set cli screen-width 1024", "set cli complete-on-space off"),
    enable=None,
    disable=None,
    reads=re.compile(r"^\s*(?:sh(?:o|ow)?|ping|traceroute)\s"),
    writes=re.compile(r"\|\s*(?:sa(?:v|ve)?|te(?:e)?|app(?:e|en|end)?)(?:\s|$)"),
    # nobody else's changes are committed with those of a batch
    configure="configure exclusive",
    configuring=re.compile(r"#$"),
    top=re.compile(r"#$"),
    leave="exit configuration-mode",
    batches=Batches(
        commit="commit",
        committed=re.compile(r"^commit complete", re.MULTILINE),
        discard="rollback 0",
        begins=re.compile(_CONFIGURE),
        ends=re.compile(r"^\s*(?:commit(?:\s+and-quit)?|exit|quit)(?:\s+configuration-mode)?\s*$"),
        within=re.compile(
            r"^\s*(?:set|delete|insert|activate|deactivate|rename|copy|replace|annotate|protect|unprotect|edit|up|top)\s"
        ),
    ),
    operating=re.compile(
        r"^\s*(?:sh(?:o|ow)?|clear|ping|traceroute|request|restart|file|start|monitor|op|test)(?:\s|$)"
    ),
    alone=re.compile(r"^\s*(?:edit|up|top|exit|quit|run|load|rollback|commit|status|annotate)(?:\s|$)"),
    refusals={
        re.compile(r"^\s*(?:run\s+)?request\s+system\s+(?:reboot|halt|power-off|zeroize)"): (
            "error: this would end the session with this device"
        ),
        re.compile(r"^\s*(?:run\s+)?start\s"): "error: a shell would leave the command line of this device",
    },
    text=re.compile(r"(?!)"),
    refused=re.compile(
        r"^\s*(?:error:|syntax error|unknown command|missing (?:mandatory )?argument|invalid \w+|\^\s*$)"
        r"|is ambiguous|No valid completions|configuration check-out failed|commit failed",
        re.MULTILINE,
    ),
    above_prompt=re.compile(r"(?:\A|\n)\s*(?:\{[^{}\n]*\}\s*)?(?:\[edit[^\]\n]*\])?\s*\Z"),
    config="show configuration",
    preamble=re.compile(r"^## Last (?:commit|changed):.*\n", re.MULTILINE),
    version=("show version", re.compile(r"^Junos: (\S+)", re.MULTILINE)),
    tables=("show route",),
    ages=re.compile(r"\b(?:(?:\d+[wd]){1,2} )?\d\d:\d\d:\d\d\b"),
    routing=Routing(request=json_routes.junos_request, parse=json_routes.junos_parse),
)
