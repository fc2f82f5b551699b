"""FRRouting: its own daemons, configured through vtysh."""

from pytest_netbench.platforms.frr.platform import FrrPlatform

__all__ = ["FrrPlatform"]
