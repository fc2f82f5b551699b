"""Applications drawn from a seed: tiers, namespaces, shared services, monitoring, and whom policies let through."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from pytest_netbench.errors import UsageError
from pytest_netbench.kubernetes.applications.addresses import OTHER_PORTS, service_addresses
from pytest_netbench.kubernetes.applications.graph import (
    LABEL,
    Admits,
    Application,
    Default,
    Sends,
    Serves,
    Style,
    Workload,
)
from pytest_netbench.kubernetes.applications.seconds import with_second_policies
from pytest_netbench.kubernetes.applications.words import LOADS, MONITORS, NAMES, NAMESPACES, PORTS, SERVICE_PORTS
from pytest_netbench.randomness import seeded

FEWEST: Final = 6
MOST: Final = 40
_KEYS: Final = (LABEL, "app.kubernetes.io/name", "service")
_OPEN: Final = 0.25
"""Share of workloads that may send anywhere although others may not."""
_IN_A_NAMESPACE: Final = 9
"""About so many workloads are in one."""


@dataclass(kw_only=True)
class _Draft:
    """A workload that is being drawn."""

    name: str
    namespace: str
    tier: str
    serves: Serves | None
    calls: list[str] = field(default_factory=list)
    admits: Admits = "callers"
    reaches_all: bool = False


def drawn(seed: int, *, services: int, seconds: bool = False) -> Application:
    """Draw an application.

    Its tiers are web, backend and data; some backends are shared by all namespaces; a workload without a Service sends
    the load. One of two has monitoring that is let in everywhere. Policies deny or allow by default, and let workloads
    send anywhere, or most of them only to what they call.

    Args:
        seed: Equal seeds and sizes draw equal applications, on every machine.
        services: Number of workloads, 6 to 40.
        seconds: Whether some workloads have two policies, which say together what is in one otherwise.

    Raises:
        UsageError: There cannot be so many.
    """
    if not FEWEST <= services <= MOST:
        raise UsageError(f"an application of {services} workloads cannot be drawn ({FEWEST} to {MOST})")
    source = seeded(f"application/{services}/{seed}")
    default: Default = source.choice(("deny", "deny", "allow"))
    sends: Sends = source.choice(("anywhere", "calls"))
    namespaces = source.sample(NAMESPACES, 1 + services // _IN_A_NAMESPACE)
    drafts = _drafts(services, namespaces, source)
    _connect(drafts, source)
    _admit(drafts, default, source)
    style = Style(
        key=source.choice(_KEYS),
        peers=source.choice(("labels", "expressions")),
        split=source.random() < 0.5,
        named=source.random() < 0.5,
        shared=source.random() < 0.5,
        tiers=source.random() < 0.5,
    )
    return Application(
        name=f"the application {namespaces[0]}",
        namespaces=tuple(dict.fromkeys(one.namespace for one in drafts)),
        workloads=_named(_workloads(drafts, sends, default, source), seed if seconds else None),
        default=default,
        other_port=source.choice(OTHER_PORTS),
        style=style,
        seed=seed,
    )


def _named(workloads: Sequence[Workload], seed: int | None) -> tuple[Workload, ...]:
    return tuple(workloads) if seed is None else with_second_policies(workloads, seed)


def _drafts(count: int, namespaces: Sequence[str], source: random.Random) -> list[_Draft]:
    """Workloads of all tiers, in the order in which one may call another."""
    is_monitored = count > FEWEST and source.random() < 0.5
    left = count - 1 - is_monitored
    web, data = max(1, left // 6), max(1, left // 5)
    tiers = ["web"] * web + ["backend"] * (left - web - data) + ["data"] * data
    names = source.sample(NAMES, left)
    drafts = [_Draft(name=source.choice(LOADS), namespace=namespaces[0], tier="load", serves=None)]
    for number, (name, tier) in enumerate(zip(names, tiers, strict=True)):
        # each namespace has some of each tier, where there are enough
        home = namespaces[number % len(namespaces)]
        drafts.append(_Draft(name=name, namespace=home, tier=tier, serves=_served(tier, source)))
    if is_monitored:
        name = source.choice(MONITORS)
        drafts.append(_Draft(name=name, namespace="monitoring", tier="monitoring", serves="http", reaches_all=True))
    return drafts


def _served(tier: str, source: random.Random) -> Serves:
    if tier == "backend":
        return source.choice(("grpc", "grpc", "http"))
    return "http" if tier == "web" else "redis"


def _connect(drafts: Sequence[_Draft], source: random.Random) -> None:
    """Let workloads call those behind them, so that no calls go round. Each is called by at least one."""
    by_tier = {tier: [one for one in drafts if one.tier == tier] for tier in ("load", "web", "backend", "data")}
    web, backend, data = by_tier["web"], by_tier["backend"], by_tier["data"]
    for one in web:
        _call(source.choice(by_tier["load"]), one)
    for number, one in enumerate(backend):
        before = [*web, *backend[:number]]
        near = [other for other in before if other.namespace == one.namespace] or before
        _call(source.choice(near), one)
        for other in source.sample(before, min(len(before), source.randint(0, 2))):
            _call(other, one)
    for one in data:
        near = [other for other in backend if other.namespace == one.namespace] or backend
        for other in source.sample(near, min(len(near), source.randint(1, 2))):
            _call(other, one)


def _call(caller: _Draft, called: _Draft) -> None:
    if called.name not in caller.calls:
        caller.calls.append(called.name)


def _admit(drafts: Sequence[_Draft], default: Default, source: random.Random) -> None:
    """Say whom workloads let in: some more than those that call them."""
    web = [one for one in drafts if one.tier == "web"]
    backend = [one for one in drafts if one.tier == "backend"]
    for one in web:
        one.admits = source.choice(("anyone", "anyone", "cluster"))
    for one in source.sample(backend, max(1, len(backend) // 6)):
        one.admits = source.choice(("namespace", "cluster"))
    for one in drafts:
        # where all may talk by default, not every workload has a policy
        if default == "allow" and one.tier in ("load", "backend") and source.random() < 0.4:
            one.admits = "anyone"
        if one.reaches_all:
            one.admits = source.choice(("callers", "namespace"))


def _workloads(drafts: Sequence[_Draft], sends: Sends, default: Default, source: random.Random) -> Sequence[Workload]:
    addresses = service_addresses(len(drafts), source)
    found = []
    for one, address in zip(drafts, addresses, strict=True):
        port = None if one.serves is None else source.choice(PORTS[one.serves])
        has_other = one.serves == "http" and source.random() < 0.5
        # a workload without any policy may send anywhere
        is_open = one.reaches_all or (default == "allow" and one.admits == "anyone") or source.random() < _OPEN
        found.append(
            Workload(
                name=one.name,
                namespace=one.namespace,
                tier=one.tier,
                serves=one.serves,
                port=port,
                service_port=source.choice(SERVICE_PORTS) if has_other else port,
                address=None if port is None else address,
                calls=tuple(one.calls),
                admits=one.admits,
                sends="anywhere" if is_open else sends,
                reaches_all=one.reaches_all,
            )
        )
    source.shuffle(found)
    return found
