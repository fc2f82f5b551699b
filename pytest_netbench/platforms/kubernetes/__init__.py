"""The platform of clusters: the workstation from which one is configured, and pods."""

from pytest_netbench.platforms.kubernetes.driver import KubernetesDriver
from pytest_netbench.platforms.kubernetes.pods import PodDriver

__all__ = ["KubernetesDriver", "PodDriver"]
