"""Child processes that measure: how they are started, and what becomes of what they say."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest_netbench
from pytest_netbench.errors import LabError, RequirementMissing, UsageError
from pytest_netbench.probing.namespaces import NO_RIGHTS
from pytest_netbench.probing.worker import PERMISSION, READY, USAGE

_BOOT = (
    "import gc, sys; gc.disable(); sys.path.insert(0, sys.argv[1]); "
    "from pytest_netbench.probing.worker import main; main()"
)
_LONGEST_MESSAGE = 4000


class Child:
    """A process that makes one call.

    Args:
        descriptors: The network namespaces, by name of node.
        interfaces: Those that must be there, by name of node.
        call: What to do, see ``worker``.
        given: What the call needs.
        prefix: Words before its command line.
    """

    def __init__(
        self,
        descriptors: Mapping[str, int],
        interfaces: Mapping[str, tuple[str, ...]],
        call: str,
        given: Mapping[str, Any],
        *,
        prefix: Sequence[str] = (),
    ) -> None:
        self._call = call
        request = {"networks": dict(descriptors), "interfaces": dict(interfaces), "call": call, "given": given}
        self._request = json.dumps(request).encode() + b"\n"
        self._begun = b""
        root = str(Path(pytest_netbench.__file__).parent.parent)
        self._process = subprocess.Popen(
            [*prefix, sys.executable, "-I", "-S", "-c", _BOOT, root],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            pass_fds=tuple(descriptors.values()),
            env={"LANG": "C.UTF-8"},
        )

    def await_ready(self) -> bool:
        """Wait until a capture has begun; returns whether it has, or else ``finish`` says why not."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended: finish says why
            self._process.stdin.write(self._request)
        self._request = b""
        self._begun = self._process.stdout.read(1) or b""
        return self._begun == READY

    def finish(self, timeout_s: float) -> Any:
        """Wait for the result; a capture ends now.

        Args:
            timeout_s: Wall seconds to wait.

        Raises:
            UsageError: Something that the call names does not exist.
            RequirementMissing: This user may not do it.
            LabError: The call failed, or took too long.
        """
        try:
            output, errors = self._process.communicate(self._request or None, timeout=timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise LabError(f"{self._call}: the process that measures did not end within {timeout_s:g} s") from None
        if self._process.returncode:
            said = errors.decode("utf-8", "replace").strip()[-_LONGEST_MESSAGE:]
            raise LabError(f"{self._call}: the process that measures failed: {said or self._process.returncode}")
        answer = json.loads(self._begun + output)
        if "error" in answer:
            kind, text = answer["error"]
            if kind == PERMISSION:
                raise RequirementMissing(text, NO_RIGHTS)
            raise UsageError(text) if kind == USAGE else LabError(f"{self._call}: {text}")
        return answer["result"]

    def kill(self) -> None:
        """End it, whatever it does. Idempotent."""
        self._process.kill()
        self._process.communicate()
