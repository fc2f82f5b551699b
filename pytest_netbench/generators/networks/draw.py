"""Draw a network: build its shape, number it, route it, write its configs."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.networks.addressing import assign_addresses, drawn_plan, plain_plan
from pytest_netbench.generators.networks.draft import Device, Draft, Net
from pytest_netbench.generators.networks.mixing import MIXED, MIXED_OF, offers, router_platforms
from pytest_netbench.generators.networks.naming import draw_names
from pytest_netbench.generators.networks.parameters import NetworkParameters
from pytest_netbench.generators.networks.services import SERVICES, Service
from pytest_netbench.generators.networks.shapes import SHAPES, Shape
from pytest_netbench.generators.networks.writers import WRITERS
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.model.network import Attachment, DrawnNetwork, MatrixEntry, Subnet
from pytest_netbench.model.topology import Endpoint, Link, Node, Topology


def draw_network(parameters: NetworkParameters) -> DrawnNetwork:
    """Return the network that ``parameters`` determine.

    Raises:
        UsageError: There is no such shape, or it does not offer the size, the routing, the platform or a service.
    """
    shape = _shape(parameters.shape)
    routing = _offered(shape, "routing", parameters.routing, tuple(shape.routings))
    platform = _offered(shape, "platform", parameters.platform, shape.platforms)
    scheme = shape.routings[routing]
    if not offers(scheme.platforms, platform):
        raise UsageError(f"{platform} routers have no routing {routing!r} (platforms: {', '.join(scheme.platforms)})")
    services = [_service(shape, platform, name) for name in SERVICES if name in parameters.services]
    mixing = random_of(f"network-{shape.name}-platforms", seed=parameters.seed, index=0)
    draft = Draft(MIXED_OF[0] if platform == MIXED else platform, router_platforms(platform, mixing))
    shape.build(draft, _sizes(shape, parameters.sizes))
    if parameters.managed_hosts:
        _manage_hosts(draft)
    scheme.prepare(draft)
    for service in services:
        service.prepare(draft)
    source = random_of(f"network-{shape.name}", seed=parameters.seed, index=0)
    if parameters.names == "drawn":
        draw_names(draft.devices, source)
    assign_addresses(draft, plain_plan() if parameters.names == "plain" else drawn_plan(source))
    scheme.configure(draft)
    for service in services:
        service.configure(draft, random_of(f"network-{shape.name}-{service.name}", seed=parameters.seed, index=0))
    return _finished(shape.name, routing, draft)


def _shape(name: str) -> Shape[Any]:
    if name not in SHAPES:
        raise UsageError(f"unknown shape {name!r} of a network (known: {', '.join(SHAPES)})")
    return SHAPES[name]


def _offered(shape: Shape[Any], what: str, asked: str | None, known: tuple[str, ...]) -> str:
    if asked is not None and not offers(known, asked):
        raise UsageError(f"shape {shape.name!r} has no {what} {asked!r} (known: {', '.join(known)})")
    return asked or known[0]


def _service(shape: Shape[Any], platform: str, name: str) -> Service:
    service = SERVICES[name]
    if service.shapes and shape.name not in service.shapes:
        raise UsageError(
            f"shape {shape.name!r} has no service {name!r} (shapes that have: {', '.join(service.shapes)})"
        )
    if platform not in service.platforms:
        raise UsageError(f"{platform} routers have no service {name!r} (platforms: {', '.join(service.platforms)})")
    return service


def _sizes(shape: Shape[Any], given: dict[str, int]) -> Any:
    known = {name: field.description for name, field in shape.sizes.model_fields.items()}
    for name in given:
        if name not in known:
            raise UsageError(f"shape {shape.name!r} has no size {name!r} (known: {', '.join(known)})")
    try:
        return shape.sizes.model_validate(given)
    except ValidationError as error:
        found = error.errors()[0]
        name = str(found["loc"][0]) if found["loc"] else ""
        where = f"{name}={found['input']} ({known[name]})" if name else ", ".join(f"{k}={v}" for k, v in given.items())
        said = found["msg"].removeprefix("Value error, ")
        raise UsageError(f"shape {shape.name!r} with {where}: {said[0].lower()}{said[1:]}") from None


def _manage_hosts(draft: Draft) -> None:
    for device in draft.devices:
        if device.control == "observed":
            device.control = "managed"


def _finished(shape: str, routing: str, draft: Draft) -> DrawnNetwork:
    return DrawnNetwork(
        shape=shape,
        routing=routing,
        platform=draft.platform,
        topology=Topology(
            nodes=tuple(_node(device, draft.platform) for device in draft.devices),
            links=tuple(
                Link(endpoints=tuple(Endpoint(node=end.device.name, interface=end.interface) for end in ends))
                for ends in draft.cables
            ),
        ),
        startup_configs={device.name: WRITERS[device.platform](device) for device in draft.devices},
        subnets=tuple(_subnet(net) for net in draft.nets),
        routers=tuple(device.name for device in draft.devices if device.forwards),
        hosts=tuple(device.name for device in draft.devices if device.kind == "host"),
        addresses={device.name: _address(device) for device in draft.devices if device.routed_ports},
        autonomous_systems={
            device.name: device.bgp.autonomous_system for device in draft.devices if device.bgp is not None
        },
        access_lists=tuple(one for device in draft.devices for one in device.access_lists),
        translations=tuple(device.translation for device in draft.devices if device.translation is not None),
        markings=tuple(device.marking for device in draft.devices if device.marking is not None),
        validations=tuple(one for device in draft.devices for one in device.validations),
        matrix=tuple(
            MatrixEntry(source=one.name, target=other.name, value=value) for one, other, value in draft.matrix
        ),
    )


def _node(device: Device, default: str) -> Node:
    platform = None if device.platform == default else device.platform
    return Node(
        name=device.name, platform=platform, role=device.role, control=device.control, services=tuple(device.services)
    )


def _subnet(net: Net) -> Subnet:
    return Subnet(
        name=net.name,
        kind=net.kind,
        prefix=str(net.network),
        area=net.area if _runs_ospf(net) else None,
        gateway=None if net.gateway is None else str(net.gateway),
        attachments=tuple(
            Attachment(node=port.device.name, interface=port.interface, address=str(port.routed.ip))
            for port in net.ports
        ),
    )


def _runs_ospf(net: Net) -> bool:
    asked = (net.network, net.area)
    return any(port.device.ospf is not None and asked in port.device.ospf.networks for port in net.ports)


def _address(device: Device) -> str:
    ports = sorted(device.routed_ports, key=lambda port: port.subnet is None or port.subnet.kind != "loopback")
    return str(ports[0].routed.ip)
