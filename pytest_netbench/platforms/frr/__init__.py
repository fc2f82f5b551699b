"""FRRouting: its own daemons, configured through vtysh."""

from pytest_netbench.platforms.frr.driver import FrrDriver

__all__ = ["FrrDriver"]
