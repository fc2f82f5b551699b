"""The program of a pod: a small server, and steady calls to other services. Standard library only.

Many pods start at once, so it imports what starts fast: ``socket``, ``selectors``, ``threading`` and ``os`` would take
more than half of its start.

``NETBENCH_SERVE`` says what it serves (``http:8080``, ``grpc:9555``, ``redis:6379``, ``dns:53``), several by commas.
``NETBENCH_CALLS`` names the services that it calls each second (``cart.shop:7070/grpc``). Calls that fail are written
to the log, and what came of the last calls to a file.
"""

from __future__ import annotations

import _thread
import time

from pytest_netbench.lab.kubernetes.pod.caller import Record, caller
from pytest_netbench.lab.kubernetes.pod.common import variable
from pytest_netbench.lab.kubernetes.pod.server import IDLE_S, Server


def main() -> None:
    """Serve and call for ever."""
    server = Server()
    for one in filter(None, variable("NETBENCH_SERVE").split(",")):
        protocol, _, port = one.partition(":")
        server.listen(protocol, int(port))
    targets = [one for one in variable("NETBENCH_CALLS").split(",") if one]
    if targets:
        record = Record()
        for target in targets:
            _thread.start_new_thread(caller, (target, record))
        _thread.start_new_thread(record.keep_written, ())
    while True:
        server.run(time.monotonic() + IDLE_S)


if __name__ == "__main__":
    main()
