"""Linux as a router or a host: a shell, iproute2, nftables and tc."""

from pytest_netbench.platforms.linux.platform import LinuxPlatform

__all__ = ["LinuxPlatform"]
