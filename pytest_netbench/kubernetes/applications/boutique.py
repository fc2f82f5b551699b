"""Online Boutique: the graph, the ports and the policies of Google's demonstration of microservices, as facts.

Source: the released manifests of github.com/GoogleCloudPlatform/microservices-demo, and its component
``network-policies``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from pytest_netbench.kubernetes.applications.addresses import OTHER_PORTS, service_addresses
from pytest_netbench.kubernetes.applications.graph import Admits, Application, Serves, Style, Workload
from pytest_netbench.kubernetes.applications.seconds import with_second_policies
from pytest_netbench.randomness import seeded

NAME: Final = "boutique"


class _Fact(NamedTuple):
    """What a workload serves, the port of its pods, that of its Service, its tier, and whom it calls."""

    serves: Serves | None
    port: int | None
    service_port: int | None
    tier: str
    calls: tuple[str, ...] = ()
    admits: Admits = "callers"


WORKLOADS: Final[Mapping[str, _Fact]] = {
    "frontend": _Fact(
        "http",
        8080,
        80,
        "web",
        (
            "adservice",
            "cartservice",
            "checkoutservice",
            "currencyservice",
            "productcatalogservice",
            "recommendationservice",
            "shippingservice",
        ),
        "anyone",
    ),
    "adservice": _Fact("grpc", 9555, 9555, "backend"),
    "cartservice": _Fact("grpc", 7070, 7070, "backend", ("redis-cart",)),
    "checkoutservice": _Fact(
        "grpc",
        5050,
        5050,
        "backend",
        (
            "cartservice",
            "currencyservice",
            "emailservice",
            "paymentservice",
            "productcatalogservice",
            "shippingservice",
        ),
    ),
    "currencyservice": _Fact("grpc", 7000, 7000, "backend"),
    "emailservice": _Fact("grpc", 8080, 5000, "backend"),
    "paymentservice": _Fact("grpc", 50051, 50051, "backend"),
    "productcatalogservice": _Fact("grpc", 3550, 3550, "backend"),
    "recommendationservice": _Fact("grpc", 8080, 8080, "backend", ("productcatalogservice",)),
    "shippingservice": _Fact("grpc", 50051, 50051, "backend"),
    "redis-cart": _Fact("redis", 6379, 6379, "data"),
    "loadgenerator": _Fact(None, None, None, "load", ("frontend",)),
}
"""By name. The frontend admits anyone, and each workload may send anywhere, as its published policies say."""


def boutique(seed: int = 0, *, seconds: bool = False) -> Application:
    """Return Online Boutique: 12 workloads in the namespace ``boutique``, 12 policies and ``deny-all``.

    Args:
        seed: Of the addresses of its Services, of the port at which nothing serves, and of the order of its objects.
        seconds: Whether some workloads have two policies, which say the same together. None has as it is published.
    """
    source = seeded(f"{NAME}/{seed}")
    addresses = service_addresses(len(WORKLOADS), source)
    workloads = tuple(
        Workload(
            name=name,
            namespace=NAME,
            tier=fact.tier,
            serves=fact.serves,
            port=fact.port,
            service_port=fact.service_port,
            address=address if fact.serves else None,
            calls=fact.calls,
            admits=fact.admits,
        )
        for (name, fact), address in zip(WORKLOADS.items(), addresses, strict=True)
    )
    return Application(
        name="Online Boutique",
        namespaces=(NAME,),
        workloads=with_second_policies(workloads, seed) if seconds else workloads,
        other_port=source.choice(OTHER_PORTS),
        style=Style(),
        seed=seed,
    )
