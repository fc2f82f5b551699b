"""Problems found in one file: collected with the place they are at, reported together."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

Where = tuple[str | int, ...]
MAX_LISTED: Final = 10


class SyntaxProblem(Exception):
    """The text is not readable at all; reading stops here.

    Args:
        message: What is wrong and what to do.
        line: 1-based line, if known.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class Problems:
    """A growing list of (place, message). A place is the path of keys and indices into the file."""

    def __init__(self) -> None:
        self.found: list[tuple[Where, str]] = []

    def add(self, where: Where, message: str) -> None:
        """Note one problem; the same one twice counts once."""
        if (where, message) not in self.found:
            self.found.append((where, message))

    def touch(self, where: Where) -> bool:
        """Whether a problem is known at, above or below ``where``: a second message there would only repeat it."""
        return any(where[: len(at)] == at or at[: len(where)] == where for at, _ in self.found)

    def __bool__(self) -> bool:
        return bool(self.found)


def known(names: Iterable[str]) -> str:
    """``known: 'a', 'b'`` as error messages say it; shortened when there are many."""
    quoted = [repr(name) for name in names]
    shown = ", ".join(quoted[:24]) + (f" and {len(quoted) - 24} more" if len(quoted) > 24 else "")
    return f"known: {shown or 'none'}"


def hint(name: str, names: Iterable[str]) -> str:
    """`` Did you mean 'x'?`` with the nearest of ``names``, or nothing."""
    names = list(names)
    lower = {one.lower(): one for one in names}
    near = get_close_matches(name, names, n=1) or [lower[one] for one in get_close_matches(name.lower(), lower, n=1)]
    if not near:
        near = [one for one in names if len(one) > 1 and name.lower().startswith(one.lower())][:1]
    return f" Did you mean {near[0]!r}?" if near else ""


def unknown(what: str, name: str, names: Iterable[str]) -> str:
    """The sentence ``unknown platform 'frrouting' (known: 'frr', 'linux'). Did you mean 'frr'?``."""
    names = tuple(names)
    return f"unknown {what} {name!r} ({known(names)}).{hint(name, names)}"
