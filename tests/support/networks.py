"""A small network in which something is broken, as the record of a trial."""

from __future__ import annotations

from typing import Any

from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import TrialRecord
from tests.support.records import record

NODES = [
    {"name": "R1", "platform": "cisco_ios"},
    {"name": "R2", "platform": "frr"},
    {"name": "pc", "control": "foreign"},
]
LINKS = [
    {"endpoints": [{"node": "R1", "interface": "GigabitEthernet0/0"}, {"node": "R2", "interface": "eth0"}]},
    {"endpoints": [{"node": "R2", "interface": "eth1"}, {"node": "pc", "interface": "eth0"}]},
    {"endpoints": [{"node": "R1", "interface": "GigabitEthernet0/9"}]},
]
CONFIGS = {
    "R1": "hostname R1\n!\ninterface Loopback0\n ip address 10.255.0.1 255.255.255.255\n!\n"
    "interface GigabitEthernet0/0\n description ip address 9.9.9.9\n ip address 10.0.0.1 255.255.255.252\n"
    " ip address 10.0.1.1 255.255.255.0 secondary\n ipv6 address 2001:DB8::1/64\n!\n"
    "router ospf 1\n address 1.1.1.1\n",
    "R2": "interface eth0\n ip address 10.0.0.2/30\nexit\n",
    "pc": "interface eth0\n address 10.2.0.10/24\nroutes main\n default via 10.2.0.1 dev eth0\n",
}
R1_TO_R2 = {"node": "R1", "interface": "GigabitEthernet0/0"}
FLOWS = [{"sources": ["pc"], "targets": {"R1": "10.0.0.1"}}]


DOWN: dict[str, Any] = {"fault": "interface-down", "parameters": {"node": "R2", "interface": "eth1"}}
UNPLUGGED: dict[str, Any] = {
    "fault": "link-down",
    "parameters": {**R1_TO_R2, "peer_node": "R2", "peer_interface": "eth0"},
}


def faulty(*broken: dict[str, Any], **changes: Any) -> TrialRecord:
    """The record of a trial in which these faults were in the network."""
    about = Task.model_validate(
        {
            "task_name": "Find it",
            "slug": "find-it",
            "domain": "routing",
            "family": "diagnose",
            "ground_truth_reasoning": "It is down.",
            "platform": "linux",
            "flows": FLOWS,
            "faults": list(broken),
            "topology": {"nodes": NODES, "links": LINKS},
            "fault_types": ["interface-down", "link-down"],
        }
    )
    return record(task=about, initial_configs=CONFIGS, final_configs=CONFIGS, **changes)
