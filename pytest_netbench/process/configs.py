"""Whether a part of a config, or another output of a host, shows what the whole config would have shown. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_netbench.dialects.syntax import Path, forms, syntax_of
from pytest_netbench.faults.evidence.observation import Configured, begins, outcome

_HOST = "linux"


def shows(one: Configured, text: str, *, healthy: str | None, initial: str | None) -> bool:
    """Whether an output shows that the config of its device is as after the lines of an observation.

    New lines must all be there, with the lines that they stand under. A line that is gone is shown by an output that
    has the whole of what it stood under.

    Args:
        one: What the config shows.
        text: The output.
        healthy: The running config before the faults were injected; ``None`` if it is not known.
        initial: The running config when the agent began; ``None`` if it is not known.
    """
    if healthy is None:
        return False
    syntax = syntax_of(one.dialect)
    wanted, unwanted = outcome(syntax.edits(one.lines))
    before = set(forms(syntax, healthy))
    new = [path for path in wanted if path not in before]
    if one.dialect == _HOST and new and _by_values(_innermost(new), unwanted, text):
        return True
    found = set(forms(syntax, text))
    if any(begins(left, path) and left not in wanted for path in unwanted for left in found):
        return False
    if new:
        return all(path in found for path in new)
    if initial is None or not unwanted:
        return False
    whole = set(forms(syntax, initial))
    return all(_below(found, path[:-1]) >= _below(whole, path[:-1]) and _has(found, path[:-1]) for path in unwanted)


def _innermost(paths: Iterable[Path]) -> list[Path]:
    """The lines under which none of the others stands."""
    every = list(paths)
    return [one for one in every if not any(other != one and other[: len(one)] == one for other in every)]


def _below(paths: Iterable[Path], parent: Path) -> set[Path]:
    return {one for one in paths if len(one) > len(parent) and one[: len(parent)] == parent}


def _has(paths: set[Path], parent: Path) -> bool:
    return parent in paths if parent else bool(paths)


def _by_values(new: list[Path], unwanted: Mapping[Path, None], text: str) -> bool:
    """Whether commands such as ``ip route`` or ``nft list ruleset`` print what a config of a host has."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    gone = [path[-1] for path in unwanted]
    return all(_printed(path[-1], lines) for path in new) and not any(_printed(line, lines) for line in gone)


def _printed(line: str, lines: list[str]) -> bool:
    first, _, value = line.partition(" ")
    forms = (line, f"inet {value}") if first == "address" else (line,)
    return any(one == form or f"{one} ".startswith(f"{form} ") for one in lines for form in forms)
