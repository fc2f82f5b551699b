"""The platform ``openflow_controller``: hosts that run a controller of OpenFlow switches."""

from pytest_netbench.platforms.openflow_controller.driver import OpenflowControllerDriver

__all__ = ["OpenflowControllerDriver"]
