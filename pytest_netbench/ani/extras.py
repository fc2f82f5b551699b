"""The ANI methods beyond the draft's four: what an agent sends and gets, and how a running lab answers.

Their names are in ``model.extra_methods``. Only agents whose file asks for them have them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from pydantic import Field

from pytest_netbench.ani import wire
from pytest_netbench.ani.manual import search
from pytest_netbench.ani.methods import spec_of
from pytest_netbench.ani.protocol import ReportsFlows
from pytest_netbench.ani.recorder import MAX_ANSWER_BYTES, clip
from pytest_netbench.ani.watching import Watching
from pytest_netbench.dialects.base import Dialect
from pytest_netbench.errors import AniError
from pytest_netbench.lab.devices import unknown
from pytest_netbench.model.extra_methods import EXTRA_METHODS, GET_REACHABILITY, SEARCH_MANUAL
from pytest_netbench.model.trial import MethodSpec
from pytest_netbench.rpccodes import Code

MAX_QUERY = 400


class Network(Protocol):
    """What an extra may use of the methods of a lab."""

    dialects: Mapping[str, Dialect]
    watching: Watching


@dataclass(frozen=True, kw_only=True)
class ExtraMethod:
    """One method: as agents see it, the model of its parameters, and what answers a request."""

    spec: MethodSpec
    params: type[wire.Wire]
    answer: Callable[[Network, Any], wire.Wire]


class SearchManualParams(wire.Wire):
    """Parameters of ``search-manual``."""

    query: wire.Line = Field(max_length=MAX_QUERY, description="a few words: a command, or what it shall do")
    platform: wire.Line | None = Field(
        None, description="only the reference of this network OS, e.g. frr; all of them if left out"
    )


class SearchManualResult(wire.Wire):
    """Result of ``search-manual``: the best sections, best first."""

    sections: tuple[wire.Section, ...]


class GetReachabilityResult(wire.Wire):
    """Result of ``get-reachability``."""

    report: str = Field(description="by sender: the targets that answer, X for one that does not; then the ports")


def search_manual(network: Network, params: SearchManualParams) -> SearchManualResult:
    """Search the command references of the lab's dialects, or of one of them."""
    known, platform = network.dialects, params.platform
    if platform is not None and platform not in known:
        raise AniError(unknown("platform", platform, tuple(known)), code=Code.INVALID_PARAMS)
    found = search(known if platform is None else {platform: known[platform]}, params.query)
    return SearchManualResult(sections=tuple(found))


def get_reachability(network: Network, _: wire.NoParams) -> GetReachabilityResult:
    """Return what the watcher of the lab saw last."""
    watcher: object = network.watching.watcher
    if not isinstance(watcher, ReportsFlows):
        raise AniError(
            f"{GET_REACHABILITY}: nobody watches the flows of this network; send packets with execute-cmd instead",
            code=Code.DEVICE_ERROR,
        )
    # what is entered at a prompt may be a change that is not complete yet
    network.watching.complete()
    return GetReachabilityResult(report=clip(watcher.report(), MAX_ANSWER_BYTES))


def _method(
    name: str,
    description: str,
    params: type[wire.Wire],
    result: type[wire.Wire],
    answer: Callable[[Network, Any], wire.Wire],
) -> ExtraMethod:
    return ExtraMethod(spec=spec_of(name, description, params, result), params=params, answer=answer)


_DEFINED: Final = (
    _method(
        SEARCH_MANUAL,
        "Search the command references of the devices' network OSs; the best sections, best first.",
        SearchManualParams,
        SearchManualResult,
        search_manual,
    ),
    _method(
        GET_REACHABILITY,
        "Which nodes reach which at present, as measured with real packets after the last change.",
        wire.NoParams,
        GetReachabilityResult,
        get_reachability,
    ),
)
ALL: Final[Mapping[str, ExtraMethod]] = {one.spec.name: one for one in _DEFINED}
assert ALL.keys() == EXTRA_METHODS.keys(), "each extra method has a name in model.extra_methods"
EXTRAS: Final[Mapping[str, MethodSpec]] = {name: one.spec for name, one in ALL.items()}
"""As agents see them."""
