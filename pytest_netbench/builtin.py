"""Where the parts of this package are, by group and name.

Parts of others are found by the entry points of their distributions. Faults are no table: the values in the modules of
``pytest_netbench.faults`` are the catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PLACES: Final[Mapping[str, Mapping[str, str]]] = {
    "dialects": {
        "arista_eos": "dialects.arista_eos:AristaEosDialect",
        "cisco_ios": "dialects.cisco_ios:CiscoIosDialect",
        "frr": "dialects.frr:FrrDialect",
        "juniper_junos": "dialects.juniper_junos:JuniperJunosDialect",
        "kubernetes": "dialects.kubernetes:KubernetesDialect",
        "linux": "dialects.linux:LinuxDialect",
        "openflow_controller": "dialects.openflow_controller:OpenflowControllerDialect",
        "openvswitch": "dialects.openvswitch:OpenvswitchDialect",
        "p4": "dialects.p4:P4Dialect",
    },
    "drivers": {
        "arista_eos": "platforms.cli_ssh:AristaEosSshDriver",
        "cisco_ios": "platforms.cisco_ios:CiscoIosDriver",
        "cisco_ios_ssh": "platforms.cli_ssh:CiscoIosSshDriver",
        "frr": "platforms.frr:FrrDriver",
        "juniper_junos": "platforms.cli_ssh:JuniperJunosSshDriver",
        "kubernetes": "platforms.kubernetes:KubernetesDriver",
        "linux": "platforms.linux:LinuxDriver",
        "openflow_controller": "platforms.openflow_controller:OpenflowControllerDriver",
        "openvswitch": "platforms.openvswitch:OpenvswitchDriver",
        "p4": "platforms.p4:P4Driver",
        "vpcs": "platforms.vpcs:VpcsDriver",
    },
    "backends": {
        "containerlab": "backends.containerlab.backend:ContainerlabBackend",
        "gns3": "backends.gns3.backend:Gns3Backend",
        "netns": "backends.netns.backend:NetnsBackend",
        "testbed": "backends.testbed.backend:TestbedBackend",
    },
    "families": {
        "configure": "families.configure:ConfigureFamily",
        "diagnose": "families.diagnose:DiagnoseFamily",
        "plan": "families.plan:PlanFamily",
        "repair": "families.repair:RepairFamily",
        "troubleshoot": "families.troubleshoot:TroubleshootFamily",
    },
    "sandboxes": {
        "netns": "backends.netns.sandboxes:NetnsSandboxes",
    },
    "clusters": {
        "kube": "backends.kube.backend:KubeBackend",
        "kubeconfig": "backends.kubeconfig.backend:KubeconfigBackend",
    },
    "agents": {
        "oracle": "agents.oracle:Oracle",
        "nop": "agents.nop:Nop",
        "always-healthy": "agents.baselines:AlwaysHealthy",
        "always-same": "agents.baselines:AlwaysSame",
        "random-guess": "agents.baselines:RandomGuess",
        "runbook-expert": "agents.runbooks.expert:RunbookExpert",
        "react": "agents.react:React",
        "single-turn": "agents.single_turn:SingleTurn",
        "multi-turn": "agents.multi_turn:MultiTurn",
        "program": "agents.external.program:Program",
        "a2a": "agents.external.a2a_agent:A2aAgent",
        "human": "agents.human:Human",
    },
    "scorers": {
        "testcase": "scorers.testcase:TestcaseScorer",
        "command": "scorers.command:CommandScorer",
        "reasoning": "scorers.reasoning:ReasoningScorer",
        "netconfbench.command": "scorers.netconfbench:DraftCommandScorer",
        "netconfbench.reasoning": "scorers.netconfbench:DraftReasoningScorer",
        "correctness": "scorers.flows:CorrectnessScorer",
        "safety": "scorers.flows:SafetyScorer",
        "outage": "scorers.flows:OutageScorer",
        "blast_radius": "scorers.blast_radius:BlastRadiusScorer",
        "latency": "scorers.latency:LatencyScorer",
        "traffic": "scorers.traffic:TrafficScorer",
        "handed_over": "scorers.handed_over:HandedOverScorer",
        "netarena.correctness": "scorers.netarena:NetArenaCorrectnessScorer",
        "netarena.safety": "scorers.netarena:NetArenaSafetyScorer",
        "netarena.latency": "scorers.netarena:NetArenaLatencyScorer",
        "detection": "scorers.diagnosis:DetectionScorer",
        "localization": "scorers.diagnosis:LocalizationScorer",
        "root_cause": "scorers.diagnosis:RootCauseScorer",
        "nika.detection": "scorers.diagnosis:NikaDetectionScorer",
        "nika.localization_precision": "scorers.diagnosis:NikaLocalizationPrecisionScorer",
        "nika.localization_recall": "scorers.diagnosis:NikaLocalizationRecallScorer",
        "nika.localization_f1": "scorers.diagnosis:NikaLocalizationF1Scorer",
        "nika.root_cause_precision": "scorers.diagnosis:NikaRootCausePrecisionScorer",
        "nika.root_cause_recall": "scorers.diagnosis:NikaRootCauseRecallScorer",
        "nika.root_cause_f1": "scorers.diagnosis:NikaRootCauseF1Scorer",
        "plan.correctness": "scorers.plan:PlanCorrectnessScorer",
        "plan.safety": "scorers.plan:PlanSafetyScorer",
    },
    "generators": {
        "diagnose": "generators.diagnose:DiagnoseGenerator",
        "repair-network": "generators.repair_network:RepairNetwork",
        "repair-routing": "generators.repair_routing:RepairRouting",
        "troubleshoot": "generators.troubleshoot:TroubleshootGenerator",
        "plan": "generators.plan:PlanGenerator",
        "repair-kubernetes": "generators.kubernetes.repair:RepairKubernetes",
        "diagnose-kubernetes": "generators.kubernetes.diagnose:DiagnoseKubernetes",
        "troubleshoot-kubernetes": "generators.kubernetes.diagnose:TroubleshootKubernetes",
    },
}
"""As ``module:attribute`` below ``pytest_netbench``."""
