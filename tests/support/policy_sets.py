"""Drawn sets of network policies over twelve pods in three namespaces, and what an independent program says of them."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_netbench.backends.kube.plan import Machine, machines
from pytest_netbench.kubernetes.policies import World, allows

Object = dict[str, Any]
NAMESPACES: Final = {"x": {"ns": "x", "team": "red"}, "y": {"ns": "y", "team": "blue"}, "z": {"ns": "z"}}
PODS: Final = {"a": {"tier": "web"}, "b": {"tier": "app", "canary": "yes"}, "c": {"tier": "app"}, "d": {}}
PORTS: Final = (("web", "TCP", 80), ("admin", "TCP", 81), ("names", "UDP", 53), ("signal", "SCTP", 9000))
MOVED: Final = {"web": 82}
"""Numbers of named ports at pods ``c``."""
FEATURES: Final = (
    *("In", "NotIn", "Exists", "DoesNotExist", "matchLabels", "namespaceSelector", "both selectors", "empty selector"),
    *("ipBlock", "except", "named port", "endPort", "protocol only", "no ports", "no peers", "no rules", "UDP", "SCTP"),
    *("default types", "Egress only", "both types", "several policies"),
)
_KIND: Final = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy"}


def workers() -> tuple[Machine, ...]:
    """Machines with room for the pods."""
    return machines(3, slots=4)


def cluster() -> list[Object]:
    """Namespaces and pods: on machine N the pods of the Nth namespace, one each of the others' neighbors."""
    found: list[Object] = [{"kind": "Namespace", "metadata": {"name": k, "labels": v}} for k, v in NAMESPACES.items()]
    slots = [(one, slot) for index in range(4) for one in workers() for slot in (one.slots[index],)]
    for (machine, slot), (space, name) in zip(slots, ((s, p) for s in NAMESPACES for p in PODS), strict=True):
        ports = [
            {"name": port, "protocol": protocol, "containerPort": MOVED.get(port, number) if name == "c" else number}
            for port, protocol, number in PORTS
        ]
        found.append(
            {
                "kind": "Pod",
                "metadata": {"name": name, "namespace": space, "labels": {"pod": name, **PODS[name]}},
                "spec": {"nodeName": machine.name, "containers": [{"name": "main", "ports": ports}]},
                "status": {"podIP": slot.address, "phase": "Running"},
            }
        )
    return found


def node_of(address: object) -> str:
    """The node of the lab that has an address."""
    return next(slot.node for one in workers() for slot in one.slots if slot.address == str(address))


class Draw:
    """One drawn set of policies.

    Args:
        seed: Of the draw.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.features: set[str] = set()
        count = self._random.choice((1, 2, 2, 3, 3, 4, 5))
        self.policies = [self._policy(number) for number in range(count)]
        if count > 1:
            self.features.add("several policies")

    def _one(self, *choices: Any) -> Any:
        return self._random.choice(choices)

    def _policy(self, number: int) -> Object:
        spec: Object = {"podSelector": self._selector(wide=0.4)}
        kind = self._one("ingress", "ingress", "egress", "both", "default")
        self.features.add(
            {"default": "default types", "both": "both types", "egress": "Egress only"}.get(kind, "matchLabels")
        )
        if kind != "default":
            names = {"ingress": ["Ingress"], "egress": ["Egress"]}.get(kind, ["Ingress", "Egress"])
            spec["policyTypes"] = names
        if kind != "egress":
            spec["ingress"] = self._rules("from")
        if kind in ("egress", "both"):
            spec["egress"] = self._rules("to")
        space = self._one(*NAMESPACES)
        return {**_KIND, "metadata": {"name": f"p{number}", "namespace": space}, "spec": spec}

    def _rules(self, peers: str) -> list[Object]:
        rules = [self._rule(peers) for _ in range(self._one(0, 1, 2, 2, 3))]
        if not rules:
            self.features.add("no rules")
        return rules

    def _rule(self, peers: str) -> Object:
        rule: Object = {}
        if self._random.random() < 0.85:
            rule[peers] = [self._peer() for _ in range(self._one(1, 1, 2))]
        else:
            self.features.add("no peers")
        if self._random.random() < 0.6:
            rule["ports"] = [self._port() for _ in range(self._one(1, 2, 2, 3))]
        else:
            self.features.add("no ports")
        return rule

    def _peer(self) -> Object:
        kind = self._one("pods", "pods", "namespaces", "both", "block")
        if kind == "block":
            return {"ipBlock": self._block()}
        found: Object = {}
        if kind != "pods":
            self.features.add("namespaceSelector")
            key = self._one("ns", "team")
            found["namespaceSelector"] = self._selector(key=key, values=("x", "y") if key == "ns" else ("red", "blue"))
        if kind != "namespaces":
            found["podSelector"] = self._selector()
        if kind == "both":
            self.features.add("both selectors")
        return found

    def _block(self) -> Object:
        self.features.add("ipBlock")
        block: Object = {"cidr": self._one("10.244.0.0/16", "10.244.1.0/24", "10.244.2.0/28", "0.0.0.0/0")}
        if block["cidr"] != "10.244.2.0/28" and self._random.random() < 0.6:
            self.features.add("except")
            inner = ["10.244.1.10/32", "10.244.1.8/30", "10.244.1.12/31"]
            block["except"] = self._random.sample(inner, self._one(1, 2))
        return block

    def _selector(self, *, key: str = "", values: Sequence[str] = (), wide: float = 0.15) -> Object:
        if self._random.random() < wide:
            self.features.add("empty selector")
            return {}
        if not key:
            key, values = self._one(("pod", ("a", "b", "c", "d")), ("tier", ("web", "app")), ("canary", ("yes",)))
        found: Object = {}
        if self._random.random() < 0.5:
            self.features.add("matchLabels")
            found["matchLabels"] = {key: self._one(*values)}
        if not found or self._random.random() < 0.3:
            operator = self._one("In", "NotIn", "Exists", "DoesNotExist")
            self.features.add(operator)
            if operator == "NotIn":
                # cyclonus 0.5.6 says that it holds for no pod without the label; Kubernetes says for each of them
                key, values = ("ns", tuple(NAMESPACES)) if key in ("ns", "team") else ("pod", tuple(PODS))
            expression: Object = {"key": key, "operator": operator}
            if operator in ("In", "NotIn"):
                expression["values"] = self._random.sample(values, self._random.randint(1, len(values)))
            found["matchExpressions"] = [expression]
        return found

    def _port(self) -> Object:
        name, protocol, number = self._one(*PORTS)
        if protocol != "TCP":
            self.features.add(protocol)
        kind = self._one("number", "number", "name", "range", "protocol")
        if kind == "name":
            self.features.add("named port")
            return {"protocol": protocol, "port": name}
        if kind == "range":
            self.features.add("endPort")
            return {"protocol": protocol, "port": number - 1, "endPort": number + self._one(0, 1)}
        if kind == "protocol":
            self.features.add("protocol only")
            return {"protocol": protocol}
        return {"protocol": protocol, "port": number} if self._random.random() < 0.8 else {"port": 80}


Question = tuple[str, str, str, str, str, int]
"""Namespace and pod of both ends, protocol, port."""


def questions(world: World, *, protocols: Sequence[str] = ("TCP", "UDP", "SCTP")) -> Iterator[tuple[Question, bool]]:
    """Every ordered pair of pods and each port that the target has, with what the decision says."""
    for source in world.pods:
        for target in world.pods:
            if source is target:
                continue
            for (_, protocol), port in target.ports.items():
                if protocol in protocols:
                    key = source.namespace, source.name, target.namespace, target.name, protocol, port
                    yield key, allows(world, source, target, protocol, port).allowed


def by_cyclonus(
    program: Path, folder: Path, objects: Sequence[Object], policies: Sequence[Object]
) -> dict[Question, bool]:
    """What cyclonus says of the same questions.

    Args:
        program: Cyclonus.
        folder: An empty one of the caller's.
        objects: Namespaces and pods.
        policies: The policies.
    """
    rules = folder / "policies"
    rules.mkdir()
    for number, policy in enumerate(policies):
        # an API server writes them into each policy; cyclonus insists on them
        types = ["Ingress", *(["Egress"] if "egress" in policy["spec"] else [])]
        full = {**policy, "spec": {"policyTypes": types, **policy["spec"]}}
        (rules / f"{number}.yaml").write_text(json.dumps(full))
    probes = sorted({(protocol, number) for _, protocol, number in PORTS} | {("TCP", MOVED["web"])})
    model = {
        "Probes": [{"Protocol": protocol, "Port": number} for protocol, number in probes],
        "Resources": {"Namespaces": NAMESPACES, "Pods": [_as_model(one) for one in objects if one["kind"] == "Pod"]},
    }
    (folder / "model.json").write_text(json.dumps(model))
    words = ["analyze", "--mode", "probe", "--policy-path", str(rules), "--probe-path", str(folder / "model.json")]
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    found: dict[Question, bool] = {}
    tables = done.stdout.split("Combined:")[1 : len(probes) + 1]
    for (protocol, number), table in zip(probes, tables, strict=True):
        rows = [
            [cell.strip() for cell in line[1:].rstrip()[:-1].split("|")]
            for line in table.partition("\n\n")[0].splitlines()
            if line[:1] == "|"
        ]
        targets = [cell.lower().split("/") for cell in rows[0][1:]]
        for row in rows[1:]:
            source = row[0].split("/")
            for (space, name), cell in zip(targets, row[1:], strict=True):
                if cell in (".", "X"):
                    found[source[0], source[1], space, name, protocol, number] = cell == "."
    return found


def _as_model(pod: Object) -> Object:
    metadata = pod["metadata"]
    return {
        "Namespace": metadata["namespace"],
        "Name": metadata["name"],
        "Labels": metadata["labels"],
        "IP": pod["status"]["podIP"],
        "Containers": [
            {
                "Name": port["name"],
                "Port": port["containerPort"],
                "PortName": port["name"],
                "Protocol": port["protocol"],
            }
            for port in pod["spec"]["containers"][0]["ports"]
        ],
    }
