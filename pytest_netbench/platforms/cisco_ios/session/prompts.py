"""The prompt of exec mode that ``prompt`` configures."""

from __future__ import annotations

import re


def expanded(text: str, name: str, sign: str) -> str:
    """Return a prompt with its escapes replaced: host name, sign, line number, space, tab, percent sign."""
    values = {"h": name, "p": sign, "n": "0", "s": " ", "t": "\t", "%": "%"}
    return re.sub(r"%([hpnst%])", lambda found: values[found[1]], text)
