"""The device of which programs in nodes make tunnel interfaces. Standard library only.

Only labs whose nodes have tunnels get it. Many machines let everybody open it. On others only root may: root then
lends its labs a copy, in a mount namespace of theirs, before it drops its privileges.
"""

from __future__ import annotations

import contextlib
import os
import stat

from pytest_netbench.kernel import syscalls as sys

DIRECTORY = "/dev/net"
DEVICE = f"{DIRECTORY}/tun"
_FOR_ALL = stat.S_IROTH | stat.S_IWOTH


def lend() -> None:
    """As root, let the users of this process's mount namespace open the device, which only root may elsewhere.

    Where root may make no devices, as in some containers, nodes have none. The doctor knows that before.
    """
    with contextlib.suppress(OSError):
        found = os.stat(DEVICE)
        if found.st_mode & _FOR_ALL == _FOR_ALL:
            return
        sys.unshare(sys.CLONE_NEWNS)
        sys.mount("none", "/", "", sys.MS_REC | sys.MS_PRIVATE)
        sys.mount("netbench", DIRECTORY, "tmpfs", sys.MS_NOSUID | sys.MS_NOEXEC, "size=4k,mode=755")
        os.mknod(DEVICE, stat.S_IFCHR, found.st_rdev)
        os.chmod(DEVICE, 0o666)
