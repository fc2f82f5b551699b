"""The platform of clusters: the workstation from which one is configured."""

from pytest_netbench.platforms.kubernetes.driver import KubernetesDriver

__all__ = ["KubernetesDriver"]
