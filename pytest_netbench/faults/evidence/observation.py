"""Observations: a request of an agent, and what its answer shows while a fault is there. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from pytest_netbench.dialects.syntax import Edit, Path, Syntax, forms, syntax_of
from pytest_netbench.model.base import Model

_TEXTS = ("running_config", "output")
EXEC: Final = "do "
"""Begins a command that leaves nothing in a config."""


class Answer(NamedTuple):
    """The answer to a request: a config, an output, or else its fields as JSON; or the error that it ended with."""

    text: str
    is_error: bool = False


def answer_of(result: Mapping[str, Any]) -> Answer:
    """Return the answer that a result of the interface is."""
    texts = [result[name] for name in _TEXTS if name in result]
    return Answer(texts[0] if texts else json.dumps(result))


class Matches(Model):
    """The text of the answer matches ``pattern`` somewhere, or with ``is_absent`` nowhere."""

    kind: Literal["matches"] = "matches"
    pattern: str
    is_absent: bool = False

    def is_in(self, answer: Answer) -> bool:
        """Whether an answer shows it."""
        found = re.search(self.pattern, answer.text, re.MULTILINE) is not None
        return not answer.is_error and found is not self.is_absent

    @property
    def words(self) -> str:
        """What the answer does, for people."""
        return f"{'has no match' if self.is_absent else 'matches'} `{self.pattern}`"


class Configured(Model):
    """The config of the answer is as after ``lines``: commands as in a config of the dialect, and removals."""

    kind: Literal["configured"] = "configured"
    dialect: str
    lines: tuple[str, ...]

    def is_in(self, answer: Answer) -> bool:
        """Whether an answer shows it."""
        return not answer.is_error and not any(unlike(answer.text, self.lines, syntax_of(self.dialect)))

    @property
    def words(self) -> str:
        """What the answer does, for people."""
        return f"is as after {', '.join(f'`{line.strip()}`' for line in self.lines)}"


class Refused(Model):
    """There is no answer: the request ends with an error that matches ``pattern``."""

    kind: Literal["refused"] = "refused"
    pattern: str

    def is_in(self, answer: Answer) -> bool:
        """Whether an answer shows it."""
        return answer.is_error and re.search(self.pattern, answer.text) is not None

    @property
    def words(self) -> str:
        """What the answer does, for people."""
        return f"is an error that matches `{self.pattern}`"


class Observation(Model):
    """A request that an agent can make, and what its answer shows while a fault is there.

    Attributes:
        method: Of the interface, e.g. ``execute-cmd``.
        params: Its parameters.
        shows: What must be found in the answer.
        because: A sentence that says what this means.
        tries: How often the request is made at most. It shows the fault if one of the answers does.
        is_shared: Whether other faults show the same, or a healthy network does: it proves the fault beside the others.
    """

    method: str
    params: dict[str, Any]
    shows: Matches | Configured | Refused
    because: str
    tries: int = 1
    is_shared: bool = False

    @property
    def request(self) -> str:
        """The request in one line, for people."""
        return " ".join([self.method, *(str(value) for value in self.params.values())])

    @property
    def words(self) -> str:
        """The observation in one line, for people."""
        times = "" if self.tries == 1 else f", one of {self.tries} times"
        return f"{self.because} `{self.request}` {self.shows.words}{times}."


def unlike(config: str, commands: Iterable[str], syntax: Syntax) -> Iterator[str]:
    """Return a phrase for each command that a running config does not show to be in force.

    Args:
        config: The running config.
        commands: Lines as in a config, and removals of lines.
        syntax: How both are written.
    """
    paths = set(forms(syntax, config))
    wanted, unwanted = outcome(syntax.edits(tuple(commands)))
    for path in wanted:
        if path not in paths:
            yield f"{_shown(path)} is not in the running config"
    for path in unwanted:
        for left in paths:
            if begins(left, path) and left not in wanted:
                yield f"{_shown(left)} is still in the running config"


def outcome(edits: Iterable[Edit]) -> tuple[dict[Path, None], dict[Path, None]]:
    """The lines that a config has after edits, and beginnings of lines that it does not have."""
    wanted: dict[Path, None] = {}
    unwanted: dict[Path, None] = {}
    for edit in edits:
        if edit.removes:
            unwanted[edit.path] = None
            wanted = {known: None for known in wanted if not begins(known, edit.path)}
        elif not edit.path[-1].startswith(EXEC):
            wanted[edit.path] = None
    return wanted, unwanted


def begins(path: Path, beginning: Path) -> bool:
    """Whether a line stands where another one does, and begins with its words."""
    return path[:-1] == beginning[:-1] and f"{path[-1]} ".startswith(f"{beginning[-1]} ")


def _shown(path: Path) -> str:
    return repr(" / ".join(path))
