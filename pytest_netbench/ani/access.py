"""What an agent may do with each device: the control of its node in the topology, narrowed by the policy.

All interfaces ask here: the methods in process and over JSON-RPC, and the lines of SSH sessions.
"""

from __future__ import annotations

from pytest_netbench.ani.policy import Policy, listing
from pytest_netbench.errors import PolicyViolation
from pytest_netbench.model.topology import Control, Topology


class Access:
    """Decides which devices may be read and which may be configured.

    Args:
        topology: Gives the control of each node.
        policy: May exclude further devices.
    """

    def __init__(self, topology: Topology, policy: Policy) -> None:
        self._controls = topology.controls
        self._policy = policy

    def control(self, device: str) -> Control:
        """The control of a device that exists."""
        return self._controls[device]

    def reads(self, device: str) -> bool:
        """Whether the agent may log in to ``device`` and read it."""
        return self._policy.permits_device(device) and self.control(device) != "foreign"

    def check_read(self, device: str) -> None:
        """Raise ``PolicyViolation`` unless ``device`` may be read, and packets sent from it."""
        self._policy.check_device(device)
        if self.control(device) == "foreign":
            raise PolicyViolation(
                f"device {device!r} is foreign: it is shown in the topology, and there is no access to it"
                f" (accessible: {self._listing('managed', 'observed')})",
                kind="control",
            )

    def check_change(self, device: str) -> None:
        """Raise ``PolicyViolation`` unless ``device`` may be configured."""
        self.check_read(device)
        if self.control(device) != "managed":
            raise PolicyViolation(
                f"device {device!r} is observed: read it and send packets from it, but do not change it"
                f" (managed: {self._listing('managed')})",
                kind="control",
            )

    def _listing(self, *controls: Control) -> str:
        return listing(
            name
            for name, control in self._controls.items()
            if control in controls and self._policy.permits_device(name)
        )
