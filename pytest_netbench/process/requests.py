"""The requests of a trace: what each is for, which device it is to, and what came back. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pytest_netbench.faults.evidence.observation import Answer, answer_of
from pytest_netbench.model.extra_methods import EXTRA_METHODS, SEARCH_MANUAL
from pytest_netbench.model.trial import Step

Kind = Literal["look", "measure", "change", "answer", "wait", "other"]
KINDS: Final[tuple[Kind, ...]] = ("look", "measure", "change", "answer", "wait", "other")
_METHODS: Final[Mapping[str, Kind]] = {
    "get-topology": "look",
    "get-running-cfg": "look",
    "execute-cmd": "look",
    "query-telemetry": "look",
    **EXTRA_METHODS,
    "check-reachability": "measure",
    "measure-rate": "measure",
    "capture-packets": "measure",
    "http-get": "measure",
    "lookup-name": "measure",
    "update-cfg": "change",
    "submit-diagnosis": "answer",
    "submit-answer": "answer",
    "wait": "wait",
}
_OF_KINDS: Final[Mapping[str, Kind]] = {"read": "look", "configure": "change"}
_PROBES: Final = frozenset({"ping", "ping6", "traceroute", "tracepath", "mtr", "curl", "dig"})
_REFUSED: Final = re.compile(r"^% ?\w|^\s*\^\s*$|^\S*sh: .*not found$", re.MULTILINE)
_OVER: Final = "budget exhausted"
"""Begins the message of ``BudgetExhausted``."""
CONSOLE: Final = "console"


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request of an agent, or a line that it entered at a device.

    Attributes:
        number: Among the requests of the trace, from 1.
        method: The wire name; a line that is read at a console counts as ``execute-cmd``.
        params: Its parameters.
        kind: What it is for.
        device: Of which something was asked, or which was changed; empty if it is to none.
        command: The command of a request that reads by one.
        answer: What came back.
        applied: Configuration commands that the device took.
        refused: Configuration commands that the device refused.
    """

    number: int
    method: str
    params: Mapping[str, Any]
    kind: Kind
    device: str
    command: str
    answer: Answer
    applied: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def errs(self) -> bool:
        """Whether the interface refused it, or the device did, wholly or in part."""
        return self.answer.is_error or bool(self.refused) or bool(self.command and _REFUSED.search(self.answer.text))

    @property
    def looks(self) -> bool:
        """Whether it has found out something of the network."""
        return self.kind in {"look", "measure"} and self.method != SEARCH_MANUAL and not self.answer.is_error

    @property
    def key(self) -> tuple[str, str]:
        """What is equal of requests that ask for the same."""
        return self.method, repr(sorted((name, " ".join(str(one).split())) for name, one in self.params.items()))


def requests_of(trace: Sequence[Step]) -> tuple[Request, ...]:
    """Return the requests of a trace in order.

    Lines that only change the mode of a console are none, and neither is what came when the budget was used up.
    """
    return tuple(_requests(trace))


def _requests(trace: Sequence[Step]) -> Iterator[Request]:
    number = 0
    for step in trace:
        if step.kind != "ani":
            continue
        number += 1
        data = step.data
        if _is_over(data.get("error")):
            continue
        params = data.get("params")
        params = params if isinstance(params, Mapping) else {}
        method = str(data.get("method"))
        if method == CONSOLE:
            if params.get("kind") in _OF_KINDS:
                yield _typed(number, params, data)
            continue
        command = params.get("command")
        results = tuple(_results(data)) if method == "update-cfg" else ()
        yield Request(
            number=number,
            method=method,
            params=params,
            kind=_kind(method, str(command or "")),
            device=_device(params),
            command=command if isinstance(command, str) else "",
            answer=_answer(data),
            applied=tuple(line for line, status in results if status == "success"),
            refused=tuple(line for line, status in results if status != "success"),
        )


def _is_over(error: Any) -> bool:
    return isinstance(error, Mapping) and str(error.get("message", "")).startswith(_OVER)


def _typed(number: int, params: Mapping[str, Any], data: Mapping[str, Any]) -> Request:
    """A line that was entered at the console of a device."""
    line, answer = str(params.get("line", "")), _answer(data)
    device = str(params.get("device", ""))
    if params["kind"] == "read":
        asked = {"device": device, "command": line}
        kind = _kind("execute-cmd", line)
        return Request(
            number=number, method="execute-cmd", params=asked, kind=kind, device=device, command=line, answer=answer
        )
    is_refused = answer.is_error or _REFUSED.search(answer.text) is not None
    return Request(
        number=number,
        method="update-cfg",
        params={"device": device, "commands": [line]},
        kind="change",
        device=device,
        command="",
        answer=answer,
        applied=() if is_refused else (line,),
        refused=(line,) if is_refused else (),
    )


def _kind(method: str, command: str) -> Kind:
    if method == "execute-cmd" and command.lstrip().partition(" ")[0] in _PROBES:
        return "measure"
    return _METHODS.get(method, "other")


def _device(params: Mapping[str, Any]) -> str:
    return str(params.get("device", params.get("node", "")))


def _answer(data: Mapping[str, Any]) -> Answer:
    error = data.get("error")
    if error is not None:
        return Answer(str(error.get("message", "")) if isinstance(error, Mapping) else str(error), is_error=True)
    result = data.get("result")
    return answer_of(result) if isinstance(result, Mapping) else Answer(str(result or ""))


def _results(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    result = data.get("result")
    found = result.get("results") if isinstance(result, Mapping) else None
    for one in found if isinstance(found, list | tuple) else ():
        if isinstance(one, Mapping):
            yield str(one.get("command", "")), str(one.get("status", ""))
