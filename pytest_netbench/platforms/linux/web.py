"""The web server of Linux hosts: that of BusyBox, of which one process serves one request, and how it is started.

BusyBox has no bound of its own, so nobody could take all that a server has.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pytest_netbench.model.hosting import WEB_PORT
from pytest_netbench.platforms.linux import inetd

PAGE: Final = "/var/www/html/index.html"
PROGRAM: Final = "busybox"
MOST_REQUESTS: Final = 64
"""Far more than hosts make at a time. More wait."""
_HTTPD: Final = ("/usr/bin/busybox", "httpd", "-i", "-h", PAGE.rpartition("/")[0])
PATH: Final = "/usr/bin/python3"
ARGUMENTS: Final = (
    *("-I", "-S", "-c", Path(inetd.__file__).read_text()),
    *(str(WEB_PORT), str(MOST_REQUESTS), *_HTTPD),
)
