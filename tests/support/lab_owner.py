"""A process that owns a lab, to be killed. Run as a program: ``lab_owner.py HOW``; says what it does, line by line."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from pytest_netbench.backends.netns import backend as module
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.lab.request import request_of
from tests.support.netns_networks import ospf_pair


def say(word: str) -> None:
    print(word, flush=True)


def main(how: str) -> None:
    """Deploy and wait, saying ``pid N`` once there is a supervisor, ``ready`` once there is a lab."""
    original = module.Channel

    class Channel(original):  # type: ignore[misc, valid-type]
        def _start(self, *arguments: object) -> None:
            super()._start(*arguments)
            say(f"pid {self.pid}")

    module.Channel = Channel  # type: ignore[misc]
    try:
        lab = NetnsBackend().deploy(request_of(ospf_pair()))
    except KeyboardInterrupt:
        say("interrupted")
        time.sleep(1000)
    say("ready")
    if how == "busy":
        thread = threading.Thread(target=lambda: lab.nodes["R1"].shell("yes > /dev/null & sleep 1000", writable=False))
        thread.start()
        lab.nodes["R2"].vty([("zebra", "show version")])
        say("busy")
    time.sleep(1000)


if __name__ == "__main__":
    main(sys.argv[1])
