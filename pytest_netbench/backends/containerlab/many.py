"""Several programs in a container by one entry into it, each with its own outputs and status."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Sequence

from pytest_netbench.backends.containerlab import programs
from pytest_netbench.backends.containerlab.programs import Place
from pytest_netbench.errors import LabError
from pytest_netbench.platforms.access import Completed


def run_many(place: Place, argvs: Sequence[Sequence[str]], *, timeout_s: float) -> list[Completed]:
    """Run several programs one after the other; ``timeout_s`` is of each.

    Raises:
        LabDied: The container is gone.
        LabError: It has no shell.
    """
    if not argvs:
        return []
    mark = secrets.token_hex(8)
    script = "".join(
        f"( {shlex.join(argv)} ) </dev/null; printf '%s %s\\n' {mark} $?; echo {mark} >&2\n" for argv in argvs
    )
    # as input: one word of a command line may not be long
    done = programs.run(programs.request(place, ["/bin/sh"], "trusted"), input=script, timeout_s=timeout_s * len(argvs))
    # what follows the mark of the last one that ended is of one that did not
    outputs, errors = done.stdout.split(f"{mark} ")[: len(argvs) + 1], done.stderr.split(f"{mark}\n")
    found: list[Completed] = []
    for number, after in enumerate(outputs[1:]):
        status, _, rest = after.partition("\n")
        found.append(Completed(stdout=outputs[number], stderr=errors[number], returncode=int(status)))
        outputs[number + 1] = rest
    if len(found) < len(argvs) and not done.timed_out:
        raise LabError(f"{place.name}: programs gave no status: {done.stderr.strip()}")
    ended = Completed(stdout="", stderr="", returncode=done.returncode, timed_out=True)
    return [*found, *(ended for _ in argvs[len(found) :])]
