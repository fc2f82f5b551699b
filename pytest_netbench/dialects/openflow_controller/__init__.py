"""The dialect ``openflow_controller``."""

from pytest_netbench.dialects.openflow_controller.dialect import OpenflowControllerDialect

__all__ = ["OpenflowControllerDialect"]
