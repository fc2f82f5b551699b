"""Kubernetes clusters on this machine: a real control plane, without root, Docker and images."""

from pytest_netbench.backends.kube.backend import KubeBackend

__all__ = ["KubeBackend"]
