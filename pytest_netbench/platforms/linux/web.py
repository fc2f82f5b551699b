"""The web server of Linux hosts: the config of lighttpd, and its arguments.

One process serves a bounded number of connections, so that a host can take all that a server has.
"""

from __future__ import annotations

from typing import Final

from pytest_netbench.model.hosting import WEB_PORT

PAGE: Final = "/var/www/html/index.html"
WEB_CONF: Final = "/etc/lighttpd/lighttpd.conf"
PROGRAM: Final = "lighttpd"
PATH: Final = "/usr/sbin/lighttpd"
ARGUMENTS: Final = ("-D", "-f", WEB_CONF)
"""In the foreground."""
MOST_REQUESTS: Final = 64
"""Far more than hosts make at a time. More wait."""
_IDLE_S: Final = 1200
"""Lab seconds that it waits for the rest of a request: lab time may pass twenty times as fast as requests come."""
_BACKLOG: Final = 9
"""As short as that of small devices."""
CONFIG: Final = f"""\
server.document-root = "{PAGE.rpartition("/")[0]}"
server.bind = "0.0.0.0"
server.port = {WEB_PORT}
server.listen-backlog = {_BACKLOG}
server.max-connections = {MOST_REQUESTS}
server.max-read-idle = {_IDLE_S}
index-file.names = ( "index.html" )
mimetype.assign = ( ".html" => "text/html" )
$SERVER["socket"] == "[::]:{WEB_PORT}" {{ }}
"""
