"""Secrets, which are never written to a cassette: keys of providers, in whatever text they stand."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from pytest_netbench.agents.keys import KEY_NAME
from pytest_netbench.text import encodable

_SHORTEST_VALUE = 12
"""Shorter values of variables may be words of a configuration."""
_SECRET: Final = re.compile(
    r"\b(?:sk|pk|rk|xai|gsk|ghp|gho|hf)[-_](?=[\w-]*\d)[\w-]{16,}"
    r"|\bAIza[\w-]{30,}"
    r"|\bAKIA[A-Z0-9]{16}\b"
    r"|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}"
    r"|(?<=Bearer )[\w.~+/=-]{8,}"
    r"|(?<=Basic )[A-Za-z0-9+/]{8,}=*"
    r"|(?<=://)[^/\s@\"']+:[^/\s@\"']+(?=@)"
)
_NAMED: Final = re.compile(
    r"(?P<before>\b(?:authorization|x-api-key|api[-_]?key)\b[\"']?\s*[:=]\s*[\"']?(?:Bearer |Basic )?)"
    r"(?!\[redacted)(?P<secret>[^\s\"',}]{8,})",
    re.IGNORECASE,
)


class Redaction:
    """Replaces secrets by a mark. Two secrets have different marks, so that what differs goes on to differ.

    Args:
        environment: Its values under names of keys are secrets, too; by default this process's.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        given = os.environ if environment is None else environment
        values = {value for name, value in given.items() if KEY_NAME.search(name) and len(value) >= _SHORTEST_VALUE}
        self._values = sorted(values, key=len, reverse=True)

    def text(self, text: str) -> str:
        """``text`` without secrets, and as UTF-8 can encode it."""
        text = encodable(text)
        for value in self._values:
            text = text.replace(value, _mark(value))
        text = _SECRET.sub(lambda match: _mark(match[0]), text)
        return _NAMED.sub(lambda match: match["before"] + _mark(match["secret"]), text)

    def value(self, value: Any) -> Any:
        """A JSON value without secrets: fields with the name of a key, and secrets in texts."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {
                self.text(str(name)): _mark(one)
                if isinstance(one, str) and KEY_NAME.search(str(name))
                else self.value(one)
                for name, one in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.value(one) for one in value]
        return value


def _mark(secret: str) -> str:
    if secret.startswith("[redacted "):
        return secret
    return f"[redacted {sha256(secret.encode(errors='surrogatepass')).hexdigest()[:4]}]"
