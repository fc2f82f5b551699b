"""What shows that a device is in a state: a command of its language, and what the output has or lacks then."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, Protocol, runtime_checkable

from pytest_netbench import parts


class StateCheck(NamedTuple):
    """What shows that a device is in a state: the output of ``command`` matches ``pattern`` somewhere.

    With ``is_absent`` it matches nowhere. Both texts may have fields in braces, e.g. ``{address}``. A state
    ``is_shared`` if things of several kinds lead to it, so that it does not tell what is wrong.
    """

    command: str
    pattern: str
    is_absent: bool = False
    is_shared: bool = False

    def of(self, **words: object) -> StateCheck:
        """Return the check with the fields filled in. In the pattern they stand for themselves."""
        escaped = {name: re.escape(str(word)) for name, word in words.items()}
        return self._replace(command=self.command.format(**words), pattern=self.pattern.format(**escaped))


@runtime_checkable
class HasStateChecks(Protocol):
    """What a dialect may offer: checks of the states that a device of it can be in."""

    state_checks: Mapping[str, StateCheck]
    """By the state, e.g. ``no carrier``."""


def state_check_of(platform: str, state: str, **words: object) -> StateCheck | None:
    """Return what shows that a device is in a state; ``None`` if its dialect has no check of it.

    Raises:
        UsageError: There is no such dialect.
    """
    dialect = parts.load("dialects", platform)()
    check = dialect.state_checks.get(state) if isinstance(dialect, HasStateChecks) else None
    return None if check is None else check.of(**words)
