"""Which requests of an agent showed a cause, whatever their commands. Pure.

What is not shown to be seen may have been seen. What is said to be seen was in an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_netbench import parts
from pytest_netbench.errors import UsageError
from pytest_netbench.faults.evidence.network import observable_of
from pytest_netbench.faults.evidence.observation import Answer, Configured, Matches, Observation
from pytest_netbench.faults.reasoning import evidence_of
from pytest_netbench.model.faulty import Faulty
from pytest_netbench.process import configs, objects, pings, sockets
from pytest_netbench.process.commands import Expand, Part, about, is_same, is_wider, parts_of
from pytest_netbench.process.requests import Request

_READ_CONFIG: Final = "get-running-cfg"
_EXECUTE: Final = "execute-cmd"
_INCIDENTAL: Final = frozenset({"timeout_s", "duration_s", "packets", "pcap", "verbose", "page"})
"""Parameters that change how much a measurement tells, and not what it is of."""
_EXCERPTS: Final = frozenset({"section", "page"})
"""Parameters of ``get-running-cfg``: its answer is a part of the configuration then."""
_SHOW_CONFIG: Final = ("show", "running-config")


@dataclass(frozen=True, kw_only=True)
class Known:
    """What of a trial is needed to read outputs.

    Attributes:
        payload: The network and its faults.
        healthy: Running configs before the faults were injected, by node.
        initial: Running configs when the agent began, by node.
    """

    payload: Faulty
    healthy: Mapping[str, str]
    initial: Mapping[str, str]


def causes_shown(known: Known, requests: Sequence[Request], *, until: int | None) -> list[int | None]:
    """Return for each fault the number of the first request that showed it; ``None`` if none is known to have.

    A device that the agent has changed shows its own work, so what is read of its config afterwards does not count. Of
    other observations only those before the first change count.

    Args:
        known: The network.
        requests: Of the agent.
        until: The number of the request that fixed the answer: those before it count.
    """
    network = observable_of(known.payload)
    considered = [one for one in requests if until is None or one.number < until]
    return [_first(proofs(evidence_of(one, network)), considered, known) for one in known.payload.faults]


def proofs(observations: Sequence[Observation]) -> list[Observation]:
    """Return the observations of a fault that tell it from others; the most telling one if all are shared."""
    telling = [found for found in observations if not found.is_shared]
    return telling or list(observations[:1])


def _first(observations: Sequence[Observation], requests: Iterable[Request], known: Known) -> int | None:
    changed: set[str] = set()
    for request in requests:
        if request.applied:
            changed.add(request.device)
        for one in observations:
            of_config = isinstance(one.shows, Configured)
            if (request.device in changed if of_config else changed) or request.kind == "change":
                continue
            if shows(one, request, known):
                return request.number
    return None


def shows(one: Observation, request: Request, known: Known) -> bool:
    """Whether the answer to a request shows what an observation needs."""
    if request.method == one.method == _READ_CONFIG and {*request.params} & _EXCERPTS:
        return request.device == one.params.get("device") and _in_excerpt(one.shows, request, known)
    if request.method == one.method and _params(request.params) == _params(one.params):
        return one.shows.is_in(request.answer)
    if request.answer.is_error or request.device != one.params.get("device") or request.method != _EXECUTE:
        return False
    if isinstance(one.shows, Configured):
        return _in_part(one.shows, request, known)
    if isinstance(one.shows, Matches):
        return _by_command(one, one.shows, request, _names_of(known.payload.platform_of(request.device)))
    return False


def _in_part(shown: Configured, request: Request, known: Known) -> bool:
    """Whether a part of a config shows what the whole must."""
    of_node = {"healthy": known.healthy.get(request.device), "initial": known.initial.get(request.device)}
    return configs.shows(shown, request.answer.text, **of_node)


def _in_excerpt(shown: Any, request: Request, known: Known) -> bool:
    """Whether a section or a page of a config shows it. What is missing there may stand elsewhere."""
    if request.answer.is_error:
        return False
    if isinstance(shown, Configured):
        return _in_part(shown, request, known)
    return isinstance(shown, Matches) and not shown.is_absent and _is_in(shown, request.answer.text)


def _by_command(one: Observation, shown: Matches, request: Request, expand: Expand) -> bool:
    """Whether the output of a command shows a pattern that is in the answer to another request."""
    asked, text = list(parts_of(request.command, expand)), request.answer.text
    if one.method == _READ_CONFIG:
        return any(_reads_config(part, shown, text) for part in asked)
    if one.method != _EXECUTE:
        return False
    wanted, *more = parts_of(str(one.params["command"]), expand)
    by_words = not more and any(_prints(part, wanted, shown, text) for part in asked)
    return by_words or objects.shows(one, request)


def _params(params: Mapping[str, Any]) -> dict[str, str]:
    return {name: " ".join(str(one).split()) for name, one in params.items() if name not in _INCIDENTAL}


def _reads_config(part: Part, shown: Matches, text: str) -> bool:
    """Whether a command prints the running config, and it shows what it must; all of it, if something is absent."""
    if not is_same(part.words[:2], _SHOW_CONFIG):
        return False
    is_whole = len(part.words) == len(_SHOW_CONFIG) and not part.is_filtered and part.is_alone
    return (is_whole or not shown.is_absent) and _is_in(shown, text)


def _prints(part: Part, wanted: Part, shown: Matches, text: str) -> bool:
    """Whether a command prints what another one would print, and that shows what it must."""
    is_clear = not part.is_filtered and part.is_alone
    if wanted.is_filtered or (shown.is_absent and not is_clear):
        return False
    if is_same(part.words, wanted.words):
        return shown.is_in(Answer(text))
    if wanted.words[:1] == ("ping",):
        return part.is_alone and pings.shows(part.words, text, wanted.words, shown.pattern)
    if sockets.is_wider(part.words, wanted.words, whole=shown.is_absent):
        return _is_in(shown, text)
    if is_wider(part.words, wanted.words):
        blocks = list(about(text, wanted.words[-1]))
        return bool(blocks) and (all if shown.is_absent else any)(_is_in(shown, block) for block in blocks)
    return False


def _is_in(shown: Matches, text: str) -> bool:
    return bool(text.strip()) and shown.is_in(Answer(text))


def _names_of(platform: str) -> Expand:
    """Gives the full names of interfaces of a platform."""
    try:
        dialect = parts.load("dialects", platform)()
    except UsageError:  # of a package that is not installed
        return str

    def expand(word: str) -> str:
        if not any(sign.isdigit() for sign in word) or "." in word or word.startswith("-"):
            return word
        try:
            return str(dialect.interface(word))
        except (ValueError, UsageError):
            return word

    return expand
