"""Linux as a router or a host: a shell, iproute2, nftables and tc."""

from pytest_netbench.platforms.linux.driver import LinuxDriver

__all__ = ["LinuxDriver"]
