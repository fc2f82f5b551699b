"""An agent that collects all that it can see of a network and that is no part of the configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError, LabError
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission
from pytest_netbench.trial.stage import Stage

Seen = dict[tuple[str, str], str]
"""What a node answered to a command."""

_SELF = '(.metadata.name | sub("-[0-9a-f]{8,10}(-[0-9a-z]{5})?$"; "") | sub("-[0-9a-z]{5}$"; ""))'
"""A name without what is drawn by controllers."""
_MADE = "[.metadata.managedFields[]? | [.manager, .operation, .subresource]] | unique"
_KINDS = "namespaces,deployments,networkpolicies,services,replicasets,pods,nodes,serviceaccounts,configmaps"
"""Endpoints are left out: they are written as pods become ready."""
_EVENTS = (
    "kubectl get events -A -o json"
    ' | jq -c \'.items[] | select(.metadata.namespace != "default")'
    " | [.metadata.namespace, .reason, .source.component]'"
)
_BORN = "[.items[].metadata.creationTimestamp | fromdate]"


def _objects(program: str) -> str:
    """A command that says something of each object that an agent can see."""
    return f"kubectl get {_KINDS} -A -o json --show-managed-fields | jq -c '.items[] | [{program}]'"


def _later(kind: str) -> str:
    """A command that prints how long after the machines the last objects of a kind were made, and in what time."""
    machines = f"kubectl get nodes -o json | jq '{_BORN} | max' > /tmp/born"
    program = f"{_BORN} | max - $born[0], max - min"
    return f"{machines}; kubectl get {kind} -A -o json | jq --slurpfile born /tmp/born '{program}'"


_FILES = (
    "find /etc /run /tmp /var /root /home -name 'netbench-calls*' -o -printf '%p %m %u %g %s\\n'"
    r" | sed -E 's#^(/etc/host(s|name) .*) [0-9]+$#\1#'"
)
"""But for the record of calls in a pod: how long it is tells what calls failed, as telemetry does. The name of a pod
has a hash of its template, whose length changes with a label; so does what the configuration says of it."""
TEXTS: Mapping[str, tuple[str, ...]] = {
    "linux": (
        _FILES,
        "ps -e -o args=",
        "env",
        "ip -o link | sed 's/<.*link/ link/'",
        "sysctl -a 2>/dev/null | grep ^net",
    ),
    "kubernetes": (
        _objects(f".kind, .metadata.namespace, {_SELF}, .metadata.generation, ({_MADE})"),
        _objects(".kind, (.metadata.annotations // {} | keys), .metadata.finalizers"),
        _EVENTS,
        _FILES,
    ),
    "frr": ("show version", "show daemons", "show history"),
    "cisco_ios": ("show users", "show history", "dir", "show privilege", "show flash:", "show archive"),
}
NUMBERS: Mapping[str, tuple[str, ...]] = {
    "linux": (
        "date +%s.%N; stat -c -%.9Y /etc",
        "cat /proc/net/dev",
        "cat /proc/net/snmp",
    ),
    "kubernetes": (
        *map(_later, ("networkpolicies", "deployments", "pods", "services")),
        "kubectl get nodes -o json | jq 'now - (.items[0].metadata.creationTimestamp | fromdate)'",
    ),
    "frr": (),
    "cisco_ios": ("show interfaces",),
}


_CUT_SHORT = re.compile(r"^\[ended after \d+ s\]$", re.MULTILINE)


class Looker:
    """Collects, and answers that nothing is wrong."""

    info = AgentInfo(id="looker", strategy="looker")

    def __init__(self) -> None:
        self.texts: Seen = {}
        self.numbers: Seen = {}
        self.brief = ""

    def run(self, brief: Brief, ani: Ani) -> Submission:
        """Look at all nodes."""
        self.brief = brief.model_dump_json()
        for node, platform in brief.devices.items():
            for kept, commands in ((self.texts, TEXTS), (self.numbers, NUMBERS)):
                for command in commands.get(platform, ()):
                    kept[node, command] = _answer(ani, node, command)
        return Submission(reasoning="Nothing is wrong.")


def _answer(ani: Ani, node: str, command: str) -> str:
    try:
        output = str(ani.execute_cmd(node, command)["output"])
    except AniError as error:
        return f"refused: {error}"
    if _CUT_SHORT.search(output):  # by a busy machine: what is missing is no clue
        raise LabError(f"{node}: {command!r} did not end in time")
    return output


def look(task: Task) -> Looker:
    """What an agent sees in the network of ``task``."""
    looker = Looker()
    with Stage(task) as stage:
        stage.work(looker)
    return looker
