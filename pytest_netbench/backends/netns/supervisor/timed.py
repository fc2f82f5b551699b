"""Programs of agents' shells that go by the lab's clock: ``date``, ``sleep`` and ``timeout``. Standard library only.

They are scripts in a folder that agents' PATH begins with. Each gives the program the clock page, which is read-only in
nodes, and no more: what the program starts goes by the wall again.
"""

from __future__ import annotations

import os

from pytest_netbench.backends.netns.supervisor import roots

_BEGIN = "#!/bin/sh\n"
_IN_LAB_TIME = (
    f"NETBENCH_ALONE=1 NETBENCH_CLOCK={roots.SHARED}/clock LD_PRELOAD={roots.SHARED}/labtime.so"
    ' exec "/usr/bin/${0##*/}" "$@"\n'
)
# A limit counts in the time of what it limits: a ping of some wall seconds is not ended after as many lab seconds.
_IF_SO_DOES_WHAT_IT_RUNS = """\
next=duration skips=
for word; do
    if [ "$skips" ]; then skips=; continue; fi
    case $next:$word in
        duration:-k | duration:-s | duration:--kill-after | duration:--signal) skips=yes ;;
        duration:-*) ;;
        duration:*) next=program ;;
        *) break ;;
    esac
done
case ${word##*/} in
    sh | bash | dash | sleep | date | timeout) ;;
    *) exec /usr/bin/timeout "$@" ;;
esac
"""
_SCRIPTS = {
    "date": _BEGIN + _IN_LAB_TIME,
    "sleep": _BEGIN + _IN_LAB_TIME,
    "timeout": _BEGIN + _IF_SO_DOES_WHAT_IT_RUNS + _IN_LAB_TIME,
}


def write() -> None:
    """Write them among the files that all nodes see.

    Raises:
        OSError: They cannot be written.
    """
    folder = f"{os.path.dirname(roots.CLOCK)}/{os.path.basename(roots.TIMED)}"
    os.mkdir(folder)
    for name, text in _SCRIPTS.items():
        path = f"{folder}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o555)
