"""An embedder in a process of its own: loading its model takes neither this interpreter's lock nor time at exit."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from threading import Lock
from typing import IO, Any

from pytest_netbench.errors import InfrastructureError

_MODULE = "pytest_netbench.scorers.embedder_process"
_SHOWN = 2000
"""Bytes of standard error that an error shows."""


class ProcessEmbedder:
    """Starts its process at first need, and ends it in ``close``. Gives the vectors that ``SentenceEmbedder`` gives.

    The process ends by itself if this one is killed: its standard input ends then.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._complaints: IO[bytes] | None = None
        self._ready = False
        self._closed = False
        self._starting = Lock()
        self._asking = Lock()

    @property
    def pid(self) -> int | None:
        """The process, once it was started."""
        return None if self._process is None else self._process.pid

    def prepare(self) -> None:
        """Start the process; it loads the model while this one goes on."""
        with self._starting:
            if self._process is not None or self._closed:
                return
            self._complaints = tempfile.TemporaryFile()  # noqa: SIM115  (closed by close)
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", _MODULE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                text=True,
                encoding="utf-8",
                start_new_session=True,  # Ctrl-C is for pytest
            )

    def wait(self) -> None:
        """Return once the process has loaded the model.

        Raises:
            InfrastructureError: It ended.
        """
        self.prepare()
        with self._asking:
            self._await_ready()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector per text.

        Raises:
            InfrastructureError: The process ended, or could not embed them.
        """
        vectors: list[list[float]] = self._result("embed", list(texts))
        return vectors

    def rouge_l(self, given: str, reference: str) -> float:
        """Return the ROUGE-L F-measure of two texts.

        Raises:
            InfrastructureError: The process ended, or could not compare them.
        """
        return float(self._result("rouge_l", given, reference))

    def _result(self, method: str, *arguments: Any) -> Any:
        self.wait()
        with self._asking:
            answer = self._ask([method, *arguments])
        if "error" in answer:
            raise InfrastructureError(f"the embedding process failed: {answer['error']}")
        return answer["result"]

    def close(self) -> None:
        """End the process, whatever it is doing. Nothing is embedded afterwards. Idempotent."""
        with self._starting:
            self._closed = True
            if self._process is None:
                return
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout, self._complaints):
                assert stream is not None
                with contextlib.suppress(BrokenPipeError):  # a request that the process never read
                    stream.close()

    def _await_ready(self) -> None:
        if not self._ready:
            self._line()
            self._ready = True

    def _ask(self, request: list[Any]) -> dict[str, Any]:
        stdin = self._running().stdin
        assert stdin is not None
        try:
            stdin.write(json.dumps(request) + "\n")
            stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None
        return self._line()

    def _line(self) -> dict[str, Any]:
        stdout = self._running().stdout
        assert stdout is not None
        line = stdout.readline()
        if not line:
            raise self._ended()
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None or self._closed:
            raise InfrastructureError("the embedding process was closed")
        return self._process

    def _ended(self) -> InfrastructureError:
        assert self._process is not None
        assert self._complaints is not None
        status = self._process.wait()
        size = self._complaints.seek(0, 2)
        self._complaints.seek(max(0, size - _SHOWN))
        said = self._complaints.read().decode(errors="replace").strip()
        return InfrastructureError(f"the embedding process ended with status {status}: {said or 'it said nothing'}")
