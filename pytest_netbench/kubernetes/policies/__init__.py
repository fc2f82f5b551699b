"""Network policies on paper: what they say of pods, whether they admit a packet, and as rules of a kernel. Pure."""

from pytest_netbench.kubernetes.policies.decision import Verdict, allows
from pytest_netbench.kubernetes.policies.ruleset import TABLE, ruleset
from pytest_netbench.kubernetes.policies.world import Pod, World

__all__ = ["TABLE", "Pod", "Verdict", "World", "allows", "ruleset"]
