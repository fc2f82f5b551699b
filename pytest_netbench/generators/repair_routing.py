"""The generator ``repair-routing``: NetArena's routing misconfigurations, each with an effect."""

from __future__ import annotations

from functools import cache
from ipaddress import IPv4Address, IPv4Interface, ip_network
from itertools import combinations
from typing import Any, Final, Literal, NamedTuple

from pydantic import Field, ValidationInfo, field_validator

from pytest_netbench.errors import UsageError
from pytest_netbench.faults.reasoning import reasoning
from pytest_netbench.faults.site import Lan, Site
from pytest_netbench.generators.effects import Choices, Effects, choices_of, indices, possible
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, Subnet, draw_network
from pytest_netbench.generators.protocol import Parameters
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.generators.values import Span
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.faulty import FlowGroup, fault_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.watch import WatchedFlow


def site_of(network: DrawnNetwork) -> Site:
    """Return the site of a network in which one router has all LANs, such as a star.

    Raises:
        UsageError: The network has several routers.
    """
    if len(network.routers) != 1:
        count = len(network.routers)
        raise UsageError(f"the {network.shape} has {count} routers; on paper, faults are known for one (shape star)")
    (router,) = network.routers
    lans = tuple(_lan(network, router, subnet) for subnet in network.lans)
    return Site(router=router, platform=network.platform, lans=lans)


def _lan(network: DrawnNetwork, router: str, subnet: Subnet) -> Lan:
    ends = {one.node: one for one in subnet.attachments}
    own = ends.pop(router)
    return Lan(
        interface=own.interface,
        address=IPv4Interface((own.address, ip_network(subnet.prefix).prefixlen)),
        hosts={name: IPv4Address(one.address) for name, one in ends.items() if name in network.hosts},
    )


NAME: Final = "repair-routing"
Class = Literal["DR", "DI", "RI", "DT", "WR"]

FAULTS: Final[dict[Class, tuple[str, ...]]] = {
    "DR": ("forward-drop-all", "forward-drop-subnet", "ip-forwarding-off", "policy-rule-prohibit"),
    "DI": ("interface-down", "interface-mtu-too-low"),
    "RI": ("address-mask-too-long", "address-of-other-subnet", "address-removed", "address-wrong"),
    "DT": ("icmp-blocked", "traffic-delayed", "traffic-dropped", "traffic-rejected"),
    "WR": ("route-loop", "route-worse-metric", "route-wrong-gateway", "route-wrong-interface"),
}
"""By class: what is drawn. Not what is installed: a fault of another package must not change the draws."""
CLASSES: Final = tuple(FAULTS)
LEVELS: Final[dict[int, tuple[str, ...]]] = {
    1: CLASSES,
    2: ("DR+DI", "DR+RI", "DR+DT", "DR+WR", "RI+WR", "DT+WR"),
    3: ("DI+DT", "DI+WR", "RI+DT", "DI+RI"),
    4: tuple("+".join(three) for three in combinations(CLASSES, 3)),
}
"""By level: labels. The first three are NetArena's Table 5, where level 3 has the harder pairs; 4 has three faults."""
MOST: Final = 8
HTTP: Final = 80
TELNET: Final = 23


class RepairRoutingParameters(Parameters):
    """What can be chosen."""

    subnets: Span = Field(Span(low=2, high=4), description="number of LANs, 2 to 8")
    hosts: Span = Field(Span(low=2, high=4), description="number of hosts in each LAN, 1 to 8")
    level: Span = Field(
        Span(low=1, high=3),
        description="1: one fault; 2 and 3: two faults, as in NetArena's Table 5; 4: three faults",
    )
    labels: tuple[Class, ...] = Field(CLASSES, description="classes of faults that may occur")
    policy: bool = Field(True, description="one LAN must not reach another one at TCP port 23, before and after")
    delay: bool = Field(False, description="also draw delays, which need a kernel with netem")

    @field_validator("subnets", "hosts", "level")
    @classmethod
    def _in_range(cls, value: Span, info: ValidationInfo) -> Span:
        low, high = {"subnets": (2, MOST), "hosts": (1, MOST), "level": (1, max(LEVELS))}[str(info.field_name)]
        return value.checked(low=low, high=high)


class _Drawing(NamedTuple):
    """A star of one size, and what can be broken in it by class."""

    network: DrawnNetwork
    site: Site
    groups: tuple[FlowGroup, ...]
    choices: dict[str, Choices]


class RepairRouting:
    """A star with one to three faults of its router."""

    name = NAME
    parameters = RepairRoutingParameters

    def draw(self, parameters: RepairRoutingParameters, *, seed: int, index: int) -> Task:
        source = random_of(NAME, seed=seed, index=index)
        hosts = parameters.hosts.draw(source)
        # with few subnets, some faults cannot be injected together
        fitting = [
            subnets
            for subnets in range(parameters.subnets.low, parameters.subnets.high + 1)
            if _labels(parameters, subnets, hosts)
        ]
        if not fitting:
            raise UsageError(
                f"{NAME}: nothing can be drawn with level={parameters.level}, labels={'+'.join(parameters.labels)} and"
                f" subnets={parameters.subnets}: give more subnets, more labels or another level"
            )
        subnets = source.choice(fitting)
        size = (subnets, hosts, parameters.delay)
        labels = _labels(parameters, subnets, hosts)
        level, label = source.choice(labels)
        effect, chosen = effects_of(*size, label).draw(source)
        drawing = _drawing(*size)
        policy = source.sample(drawing.site.lans, 2) if parameters.policy else ()
        wanted, faults, symptom = _wanted(drawing, *policy), [choice.injected for choice in chosen], indices(effect)
        drawn = Drawn(
            generator=NAME,
            parameters=parameters.model_dump(mode="json"),
            seed=seed,
            index=index,
            label=label,
            level=level,
        )
        return Task.model_validate(
            {
                "task_name": f"Repair the routing of a star with {subnets} subnets of {hosts} hosts",
                "slug": drawn.slug,
                "family": "repair",
                "domain": "routing",
                "drawn": drawn,
                **drawing.network.fields(),
                **wanted,
                "faults": tuple(faults),
                "symptom": symptom,
                "ground_truth_reasoning": reasoning(faults, flows=wanted["flows"], symptom=symptom),
            }
        )


def _labels(parameters: RepairRoutingParameters, subnets: int, hosts: int) -> list[tuple[int, str]]:
    """The levels and labels that the parameters permit and that the size can have."""
    return [
        (level, label)
        for level, labels in LEVELS.items()
        for label in labels
        if level in parameters.level
        and set(label.split("+")) <= set(parameters.labels)
        and possible(groups_of(subnets, hosts, parameters.delay, label))
    ]


@cache  # bounded by the sizes
def _drawing(subnets: int, hosts: int, delay: bool) -> _Drawing:
    sizes = {"subnets": subnets, "hosts": hosts}
    network = draw_network(NetworkParameters(shape="star", sizes=sizes, platform="linux"))
    site = site_of(network)
    groups = _flow_groups(site)
    flows: list[WatchedFlow] = [flow for group in groups for flow in group.flows()]
    choices: dict[str, Choices] = {}
    for label, names in FAULTS.items():
        faults = [fault_of(name) for name in names]
        choices[label] = choices_of([one for one in faults if delay or not one.requires], site, flows)
    return _Drawing(network, site, groups, choices)


def groups_of(subnets: int, hosts: int, delay: bool, label: str) -> list[Choices]:
    """Return what each fault of a task of this size and label is chosen from."""
    choices = _drawing(subnets, hosts, delay).choices
    return [choices[one] for one in label.split("+")]


@cache  # bounded by the sizes and labels
def effects_of(subnets: int, hosts: int, delay: bool, label: str) -> Effects:
    """Return the effects that a task of this size and label can have."""
    return Effects(groups_of(subnets, hosts, delay, label))


def _wanted(drawing: _Drawing, *policy: Lan) -> dict[str, Any]:
    """The startup configs and flows of a task.

    Args:
        drawing: The star.
        policy: A LAN, and another one whose port for Telnet it must not reach; none if there is no such policy.
    """
    configs, router = drawing.network.startup_configs, drawing.site.router
    if not policy:
        return {"startup_configs": configs, "flows": drawing.groups}
    one, other = policy
    chain = "inet access forward"
    lines = (
        "nft add table inet access",
        f"nft 'add chain {chain} {{ type filter hook forward priority filter; policy accept; }}'",
        f"nft 'add rule {chain} ip saddr {one.prefix} ip daddr {other.prefix} tcp dport {TELNET} drop'",
    )
    targets = {name: str(address) for name, address in other.hosts.items()}
    # behind all others, whose places are those of the effects
    denied = FlowGroup(sources=tuple(one.hosts), targets=targets, protocol="tcp", port=TELNET, allowed=False)
    return {
        "startup_configs": {**configs, router: configs[router] + "".join(f"{line}\n" for line in lines)},
        "flows": (*drawing.groups, denied),
    }


def _flow_groups(site: Site) -> tuple[FlowGroup, ...]:
    """Echo and HTTP between all hosts, and echo between each host and its gateway, both ways."""
    where = {name: str(address) for lan in site.lans for name, address in lan.hosts.items()}
    every = tuple(where)
    groups = [
        FlowGroup(sources=every, targets=where),
        FlowGroup(sources=every, targets=where, protocol="tcp", port=HTTP),
        FlowGroup(sources=(site.router,), targets=where),
    ]
    groups += [FlowGroup(sources=tuple(lan.hosts), targets={site.router: str(lan.address.ip)}) for lan in site.lans]
    return tuple(groups)
