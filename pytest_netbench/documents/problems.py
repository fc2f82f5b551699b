"""Problems found in one file: collected with the place they are at, reported together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Final

Where = tuple[str | int, ...]
Place = tuple[int, int]
"""Line and column, both 1-based."""
MAX_KEPT: Final = 200
_MANY: Final = 200
_SHOWN: Final = 40


class SyntaxProblem(Exception):
    """The text is not readable at all; reading stops here.

    Args:
        message: What is wrong and what to do.
        line: 1-based line, if known.
        column: 1-based column in it, if known.
    """

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


class Problems:
    """A growing list of (place, message). A place is the path of keys and indices into the file.

    After ``MAX_KEPT`` it stops growing, so that nonsense of any size costs little.
    """

    def __init__(self) -> None:
        self.found: dict[tuple[Where, str], None] = {}
        self.cut = False

    def add(self, where: Where, message: str) -> None:
        """Note one problem; the same one twice counts once."""
        if len(self.found) < MAX_KEPT:
            self.found[where, message] = None
        else:
            self.cut = True

    def touch(self, where: Where) -> bool:
        """Whether a problem is known at, above or below ``where``: a second message there would only repeat it."""
        return any(where[: len(at)] == at or at[: len(where)] == where for at, _ in self.found)

    def placed(self, place_of: Callable[[Where], Place]) -> list[tuple[Place, str]]:
        """Return line, column and message of each problem, in the order of the file.

        Args:
            place_of: Gives line and column of a place.
        """
        found = [(place_of(where), message) for where, message in self.found]
        found.sort(key=lambda one: one[0][0])  # those of one line stay in the order in which they were found
        if self.cut:
            found.append((found[-1][0], f"the file has more problems; the first {MAX_KEPT} that were found are listed"))
        return found

    def __bool__(self) -> bool:
        return bool(self.found)


def known(names: Collection[str]) -> str:
    """The words ``known: 'a', 'b'`` of error messages; shortened when there are many."""
    shown = ", ".join(repr(name) for name in islice(names, _SHOWN))
    return f"known: {shown or 'none'}" + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def hint(name: str, names: Collection[str]) -> str:
    """`` Did you mean 'x'?`` with the nearest of ``names``, or nothing."""
    if len(names) > _MANY or len(name) > _MANY:
        return ""
    lower = {one.lower(): one for one in names}
    near = get_close_matches(name, names, n=1) or [lower[one] for one in get_close_matches(name.lower(), lower, n=1)]
    if not near:
        near = [one for one in names if len(one) > 1 and name.lower().startswith(one.lower())][:1]
    return f" Did you mean {near[0]!r}?" if near else ""


def unknown(what: str, name: str, names: Collection[str]) -> str:
    """The sentence ``unknown platform 'frrouting' (known: 'frr', 'linux'). Did you mean 'frr'?``."""
    return f"unknown {what} {name!r} ({known(names)}).{hint(name, names)}"


def in_one_text(placed: Sequence[tuple[Place, str]]) -> str:
    """The message of an error about several problems, whose place is that of the first one."""
    (_, first), *others = placed
    return "\n".join([first, *(f"  line {line}, column {column}: {text}" for (line, column), text in others)])
