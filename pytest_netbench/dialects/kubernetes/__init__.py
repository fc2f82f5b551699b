"""The dialect of clusters: objects of the API as YAML."""

from pytest_netbench.dialects.kubernetes.dialect import KubernetesDialect

__all__ = ["KubernetesDialect"]
