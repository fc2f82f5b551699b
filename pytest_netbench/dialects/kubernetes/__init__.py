"""The dialect ``kubernetes``."""

from pytest_netbench.dialects.kubernetes.dialect import KubernetesDialect

__all__ = ["KubernetesDialect"]
