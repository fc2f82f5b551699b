"""Checks of a well-formed task: existing nodes, valid patterns, valid addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from ipaddress import ip_address, ip_network

from pytest_netbench.documents.problems import Problems, Where, known, unknown
from pytest_netbench.model.configure import Configure
from pytest_netbench.model.payload import Networked
from pytest_netbench.model.task import Task
from pytest_netbench.model.testcase import (
    ConfigTestcase,
    Flow,
    LossTestcase,
    MarkingTestcase,
    PathTestcase,
    ReachabilityTestcase,
    ReferenceTestcase,
    RouteTestcase,
    ShowTestcase,
    Testcase,
    ThroughputTestcase,
    UnbrokenTestcase,
)
from pytest_netbench.taskfile.events import check_events, check_under
from pytest_netbench.taskfile.names import full_name
from pytest_netbench.taskfile.protocols import PROTOCOLS, SELDOM
from pytest_netbench.taskfile.reference import check_reference


def check(task: Task, problems: Problems) -> None:
    """Add to ``problems`` what makes ``task`` unusable although each of its values is well-formed."""
    if not task.task_name.strip():
        problems.add(("task_name",), "task_name is empty")
    payload = task.payload
    if isinstance(payload, Networked):
        _check_interfaces(payload, problems)
        check_events(payload, problems)
        check_reference(payload, problems)
        for name in ("testcases", "health_checks"):
            testcases = getattr(payload, name, ())
            check_under(payload, testcases, name, problems)
            _check_testcases(payload, name, testcases, problems)
    if isinstance(payload, Configure):
        _check_survivors(payload, problems)
        _check_intents(payload, problems)


def _check_intents(payload: Configure, problems: Problems) -> None:
    nodes = _nodes(payload)
    for index, intent in enumerate(payload.intents):
        if not intent.text.strip():
            problems.add(("intents", index), f"intent {index + 1} is empty; say what the network shall do")
        for place, sub in enumerate(intent.sub_intents):
            if sub.node not in nodes:
                problems.add(("intents", index, "sub_intents", place), unknown("node", sub.node, nodes))


def _check_testcases(network: Networked, name: str, testcases: Sequence[Testcase], problems: Problems) -> None:
    for index, testcase in enumerate(testcases):
        _Checker(network, (name, index), testcase.name, problems).check(testcase)


def _nodes(network: Networked) -> dict[str, None]:
    return {node.name: None for node in network.topology.nodes}


def _check_interfaces(network: Networked, problems: Problems) -> None:
    seen: dict[tuple[str, str], str] = {}
    for index, link in enumerate(network.topology.links):
        for end in link.endpoints:
            where: Where = ("topology", "links", index)
            platform = network.platform_of(end.node)
            try:
                interface = full_name(platform, end.interface)
            except ValueError as error:
                problems.add(where, f"link {str(link)!r}: {end.interface!r} is no interface of {platform!r}: {error}")
                continue
            except (ImportError, AttributeError) as error:
                problems.add(where, f"platform {platform!r} cannot be loaded: {error}")
                continue
            other = seen.setdefault((end.node, interface), end.interface)
            if other != end.interface:
                problems.add(
                    where, f"interfaces '{end.node} {other}' and '{end.node} {end.interface}' are the same one"
                )


def _check_survivors(payload: Configure, problems: Problems) -> None:
    for node, lines in payload.accepted_survivors.items():
        truth = {line.strip(): None for line in payload.truth_of(node)}
        for line in lines:
            if line.strip() not in truth:
                message = f"accepted_survivors: {unknown(f'ground-truth line of {node!r}', line, truth)}"
                problems.add(("accepted_survivors", node, line), message)


class _Checker:
    """Checks one testcase. Messages begin with its name, as one line of a file may hold many."""

    def __init__(self, network: Networked, where: Where, name: str, problems: Problems) -> None:
        self.network = network
        self.nodes = _nodes(network)
        self.where = where
        self.name = name
        self.problems = problems

    def check(self, testcase: Testcase) -> None:
        count = len(self.network.intents) if isinstance(self.network, Configure) else 0
        if testcase.intent is not None and testcase.intent > count:
            self.say("intent", f"there is no intent {testcase.intent}; the task has {count}, counted from 1")
        _PER_KIND[type(testcase)](self, testcase)

    def say(self, step: str | tuple[str | int, ...], message: str) -> None:
        steps = (step,) if isinstance(step, str) else step
        self.problems.add((*self.where, *steps), f"testcase {self.name!r}: {message}")

    def node(self, step: str, name: str) -> None:
        if name not in self.nodes:
            self.say(step, unknown("node", name, self.nodes))

    def target(self, step: str | tuple[str | int, ...], name: str) -> None:
        if name not in self.nodes and not is_address(name):
            self.say(step, f"{name!r} is neither an address nor a node ({known(self.nodes)})")

    def address(self, step: str, value: str | None) -> None:
        if value is not None and not is_address(value):
            self.say(step, f"{value!r} is no IP address")

    def pattern(self, step: str | tuple[str | int, ...], text: str) -> None:
        try:
            re.compile(text, re.MULTILINE)
        except (re.error, RecursionError, OverflowError) as error:
            self.say(step, f"{text!r} is no regular expression: {error}")


def _show(checker: _Checker, testcase: ShowTestcase) -> None:
    checker.node("device", testcase.device)
    checker.pattern("expected_output", testcase.expected_output)


def _config(checker: _Checker, testcase: ConfigTestcase) -> None:
    checker.node("device", testcase.device)
    checker.pattern("line", testcase.line)
    for index, parent in enumerate(testcase.parents):
        checker.pattern(("parents", index), parent)


def _route(checker: _Checker, testcase: RouteTestcase) -> None:
    checker.node("device", testcase.device)
    platform = checker.network.platform_of(testcase.device) if testcase.device in checker.nodes else ""
    known_here = PROTOCOLS.get(platform)
    given = testcase.protocol
    if given is not None and known_here is not None and given.lower() not in {*known_here, *SELDOM}:
        checker.say("protocol", unknown(f"routing protocol of platform {platform!r}", given, known_here))
    interfaces = checker.network.topology.interfaces(testcase.device)
    for hop in testcase.next_hops or ():
        if not is_address(hop) and hop not in interfaces and hop.lower() not in {"blackhole", "null0", "lo"}:
            checker.say("next_hops", f"next hop {hop!r} is neither an address nor an interface ({known(interfaces)})")
    if "/" not in testcase.prefix:
        checker.say("prefix", f"{testcase.prefix!r} has no length; write it like 10.0.0.0/24")
        return
    try:
        ip_network(testcase.prefix)
    except ValueError as error:
        checker.say("prefix", f"{testcase.prefix!r} is no prefix: {error}{_meant(testcase.prefix)}")


def _meant(prefix: str) -> str:
    try:
        return f". Did you mean '{ip_network(prefix, strict=False)}'?"
    except ValueError:
        return ""


def _reachability(checker: _Checker, testcase: ReachabilityTestcase) -> None:
    checker.node("from", testcase.source)
    checker.target("to", testcase.target)
    checker.address("source_address", testcase.source_address)
    checker.address("seen_source", testcase.seen_source)
    if testcase.listen_on is not None:
        checker.node("listen_on", testcase.listen_on)
    _port(checker, testcase)


def _loss(checker: _Checker, testcase: LossTestcase) -> None:
    checker.node("from", testcase.source)
    checker.target("to", testcase.target)
    _port(checker, testcase)


def _unbroken(checker: _Checker, testcase: UnbrokenTestcase) -> None:
    if checker.where[0] != "testcases" or not isinstance(checker.network, Configure):
        checker.say("kind", "'unbroken' is about an agent's work on a task with intents")
    if testcase.under is not None:
        checker.say("under", "'unbroken' is observed while the agent works and not under an event; remove 'under'")
    checker.node("from", testcase.source)
    checker.target("to", testcase.target)
    if testcase.listen_on is not None:
        checker.node("listen_on", testcase.listen_on)
    _port(checker, testcase)


def _port(checker: _Checker, testcase: ReachabilityTestcase | LossTestcase | UnbrokenTestcase) -> None:
    with_ports = testcase.protocol in ("tcp", "udp", "segment")
    if with_ports and testcase.port is None:
        checker.say("protocol", f"{testcase.protocol} needs a 'port'")
    for field in ("port", "source_port"):
        if not with_ports and getattr(testcase, field, None) is not None:
            checker.say(
                field, f"{testcase.protocol} has no port; give 'protocol: tcp' or 'udp', or leave '{field}' out"
            )


def _path(checker: _Checker, testcase: PathTestcase) -> None:
    checker.node("from", testcase.source)
    checker.target("to", testcase.target)
    for index, hop in enumerate(testcase.hops):
        checker.target(("hops", index), hop)
    if not testcase.hops:
        checker.say("hops", "'hops' is empty; it ends with the target")


def _throughput(checker: _Checker, testcase: ThroughputTestcase) -> None:
    _flow(checker, "flow", testcase.flow)
    for flow in testcase.background:
        _flow(checker, "background", flow)
    low, high = testcase.min_bps, testcase.max_bps
    if testcase.expected_bps is None and low is None and high is None:
        checker.say("kind", "needs 'expected_rate', 'min_rate' or 'max_rate'")
    if testcase.expected_bps is not None and (low is not None or high is not None):
        checker.say("expected_rate", "give either 'expected_rate' or 'min_rate' and 'max_rate', not both")
    if low is not None and high is not None and low > high:
        checker.say("min_rate", f"'min_rate' ({low} bit/s) is above 'max_rate' ({high} bit/s)")


def _flow(checker: _Checker, step: str, flow: Flow) -> None:
    checker.node(step, flow.source)
    checker.target(step, flow.target)
    checker.address(step, flow.source_address)


def _marking(checker: _Checker, testcase: MarkingTestcase) -> None:
    checker.node("from", testcase.source)
    checker.target("to", testcase.target)
    checker.address("source_address", testcase.source_address)


def _reference(checker: _Checker, _testcase: ReferenceTestcase) -> None:
    if checker.where[0] != "testcases" or not isinstance(checker.network, Configure):
        checker.say("kind", "'reference' compares with what is recorded for testcases of a task with intents")


_PER_KIND: dict[type, Callable[..., None]] = {
    ShowTestcase: _show,
    ConfigTestcase: _config,
    RouteTestcase: _route,
    ReachabilityTestcase: _reachability,
    PathTestcase: _path,
    ThroughputTestcase: _throughput,
    MarkingTestcase: _marking,
    LossTestcase: _loss,
    UnbrokenTestcase: _unbroken,
    ReferenceTestcase: _reference,
}


def is_address(text: str) -> bool:
    """Whether ``text`` is one IPv4 or IPv6 address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
