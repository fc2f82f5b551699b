"""A typed shell: commands on a Linux host that shows a prompt on a text line.

Owns how a command is sent, how its end is known and how it is interrupted. What runs on the host is in ``hostside``.
"""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from pytest_netbench import deadline
from pytest_netbench.errors import LabError
from pytest_netbench.lab.shells import hostside
from pytest_netbench.lab.shells.hostside import Damaged
from pytest_netbench.platforms.access import CliLine, Completed

T = TypeVar("T")

LONGEST_OUTPUT = 64 * 2**20
_BLOCK = 512
_STEP_S = 10.0  # for what a host does at once
_PROMPT_S = 4.0
_GRACE_S = 3.0
_ATTEMPTS = 6
_READ_MIN_DELAY_S = 0.000_05
_READ_MAX_DELAY_S = 0.01
_INTERRUPT = "\x03"
_LEAVE = "Q\n"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A finished command, its outputs as bytes. As ``platforms.access.Completed``."""

    stdout: bytes
    stderr: bytes
    returncode: int
    truncated: bool
    timed_out: bool

    def completed(self) -> Completed:
        """The same with the outputs as text."""
        return Completed(
            stdout=self.stdout.decode("utf-8", "replace"),
            stderr=self.stderr.decode("utf-8", "replace"),
            returncode=self.returncode,
            truncated=self.truncated,
            timed_out=self.timed_out,
        )


class Shell:
    """A shell on a Linux host, over a line on which its prompt stands. From any thread; one command at a time.

    The host needs a POSIX shell, ``dd``, ``tr``, ``wc``, and ``base64``, ``od`` or ``hexdump``. Commands run in a
    session of their own without a terminal; what they left running in it is killed when they end. Outputs are files on
    the host until they are fetched, encoded and with a digest, so that neither they nor messages of the host's kernel
    pass for a status.

    Args:
        line: The line. It belongs to the shell from now on.
        name: Of the host, for messages.

    Raises:
        LabError: No shell answers, or it lacks a program.
    """

    def __init__(self, line: CliLine, *, name: str) -> None:
        self._name = name
        self._line: CliLine | None = line
        self._lock = threading.Lock()
        self._is_hex = False
        self._is_damaged = False
        try:
            self._find_prompt()
            self._start()
        except BaseException:
            self.close()
            raise

    def is_there(self) -> bool:
        """Whether the line is still open; what came over it meanwhile is dropped."""
        with self._lock:
            try:
                while self._line is not None and self._read():
                    """Drop what nobody asked for."""
            except LabError:
                return False
            return self._line is not None

    def run(
        self,
        command: str,
        *,
        input: str | None = None,
        timeout_s: float = 30.0,
        output_bytes: int = LONGEST_OUTPUT,
        file_bytes: int = LONGEST_OUTPUT,
    ) -> Completed:
        """Run a command of ``sh`` and wait for it.

        Args:
            command: Its text. ``$NETBENCH_DIR`` is a folder of the shell's user alone, which ends with the shell.
            input: What it reads; nothing if ``None``.
            timeout_s: It is killed after so many wall seconds.
            output_bytes: How much of each output is kept.
            file_bytes: It is killed when a file or an output that it writes becomes longer, roughly.

        Raises:
            LabError: The host does not answer any more; the shell is closed then.
        """
        given = None if input is None else input.encode()
        return self.run_bytes(
            command, input=given, timeout_s=timeout_s, output_bytes=output_bytes, file_bytes=file_bytes
        ).completed()

    def run_bytes(
        self,
        command: str,
        *,
        input: bytes | None = None,
        timeout_s: float = 30.0,
        output_bytes: int = LONGEST_OUTPUT,
        file_bytes: int = LONGEST_OUTPUT,
    ) -> Outcome:
        """The same in bytes."""
        with self._lock:
            answer, timed_out = "lost", False
            for _ in range(_ATTEMPTS):
                answer, timed_out = self._send(command.encode(), input, deadline.left(timeout_s), file_bytes)
                if answer != "lost":
                    break
            try:
                status, out_size, err_size, out, err = answer.split(":")
                return Outcome(
                    stdout=self._fetched("o", int(out_size), out, output_bytes),
                    stderr=self._fetched("e", int(err_size), err, output_bytes),
                    returncode=int(status),
                    truncated=max(int(out_size), int(err_size)) > output_bytes,
                    timed_out=timed_out,
                )
            except ValueError:
                raise self._lost(f"gave an answer that cannot be read: {answer[:80]!r}") from None

    def close(self) -> None:
        """Leave the host's shell as it was found, and end the line. Idempotent."""
        line, self._line = self._line, None
        if line is None:
            return
        try:
            line.write(_LEAVE)
            time.sleep(_READ_MAX_DELAY_S)  # a line that ends at once may take its last keys with it
        except LabError:
            pass  # the host has gone already
        finally:
            line.close()

    def _find_prompt(self) -> None:
        """Wait until a shell answers, be it one that the script of an earlier line still occupies."""
        for keys in ("\n", "\n", f"{_INTERRUPT}\n{_LEAVE}\n", f"{_INTERRUPT}\n{_LEAVE}\n"):
            mark = hostside.number()
            if self._done(f"{keys} printf '@%s;\\n' {mark}", f"@{mark};", _PROMPT_S):
                return
        raise self._lost("shows no prompt of a shell")

    def _start(self) -> None:
        for _ in range(_ATTEMPTS):
            hello = hostside.number()
            *steps, (start, _) = hostside.opening(hello)
            if not all(self._done(text, mark, _STEP_S) for text, mark in steps):
                continue
            self._write(f"{start}\n")
            body = self._answer(hello, _STEP_S)
            if body is None:
                self._write(_LEAVE)
                continue
            encoding = body.partition(":")[0]
            if encoding == "none":
                raise self._lost("has neither base64, od nor hexdump")
            self._is_hex = encoding == "hex"
            return
        raise self._lost("does not take the script that runs commands")

    def _done(self, text: str, mark: str, within_s: float) -> bool:
        """Type a line; whether the mark behind it was printed in time."""
        self._write(f"{text}\n")
        seen = self._hear(lambda heard: mark.encode() in hostside.without_noise(heard) or None, within_s)
        return seen is not None

    def _send(self, command: bytes, input: bytes | None, timeout_s: float, file_bytes: int) -> tuple[str, bool]:
        """Return the answer to a command, and whether it was interrupted."""
        for piece in hostside.pieces(input or b""):
            self._append("i", piece)
        *most, last = hostside.pieces(command) or [""]
        for piece in most:
            self._append("c", piece)
        number = hostside.number()
        blocks = -(-file_bytes // _BLOCK)
        given = "-" if input is None else len(input)
        self._write(f"R {number} {blocks} {len(command)} {given} ={last}=\n")
        answer = self._answer(number, timeout_s)
        timed_out = answer is None and not self._is_damaged
        if timed_out:
            self._write(_INTERRUPT)
            answer = self._answer(number, _GRACE_S)
        if answer is None:
            answer = self._repeated()
        known, _, rest = answer.partition(":")
        if known != number:
            raise self._lost("lost a command")
        return rest, timed_out

    def _append(self, file: str, piece: str) -> None:
        # what is lost on the way is missed when the command is to run
        if self._request("+", f"{file} - - ={piece}=") is None:
            self._repeated()

    def _fetched(self, file: str, size: int, first: str, most: int) -> bytes:
        data = self._decoded(first)
        while len(data) < min(size, most):
            piece = self._piece(file, len(data) // hostside.PIECE_BYTES)
            if not piece:
                raise ValueError
            data += piece
        return data[:most]

    def _piece(self, file: str, place: int) -> bytes:
        for _ in range(_ATTEMPTS):
            known, _, text = (self._request("G", f"{file} {place} - =") or "").partition(":")
            if known == str(place):
                return self._decoded(text)
        raise self._lost("does not answer")

    def _decoded(self, text: str) -> bytes:
        return bytes.fromhex(text) if self._is_hex else base64.b64decode(text)

    def _request(self, operation: str, rest: str = "") -> str | None:
        number = hostside.number()
        self._write(f"{operation} {number} {rest}\n")
        return self._answer(number, _STEP_S)

    def _repeated(self) -> str:
        """Return the last answer once more, because something was printed into it."""
        for _ in range(_ATTEMPTS):
            if (answer := self._request("A")) is not None:
                return answer
        raise self._lost("does not answer")

    def _answer(self, number: str, timeout_s: float) -> str | None:
        """Return the body of an answer; ``None`` if it did not come in time, or damaged."""
        self._is_damaged = False
        try:
            return self._hear(lambda heard: hostside.body(heard, number), timeout_s)
        except Damaged:
            self._is_damaged = True
            return None

    def _hear(self, found: Callable[[bytes], T | None], timeout_s: float) -> T | None:
        """Read until something is found; ``None`` if it is not in time."""
        heard, delay_s = bytearray(), _READ_MIN_DELAY_S
        ends_at = time.monotonic() + timeout_s
        while True:
            if new := self._read():
                heard += new
                delay_s = _READ_MIN_DELAY_S
                if b";" in new or b"\n" in new:
                    seen = found(bytes(heard))
                    if seen is not None:
                        return seen
            if time.monotonic() > ends_at:
                return None
            if not new:
                # a line tells nobody that something came
                time.sleep(delay_s)
                delay_s = min(delay_s * 2, _READ_MAX_DELAY_S)

    def _read(self) -> bytes:
        return self._use(lambda line: line.read())

    def _write(self, text: str) -> None:
        self._use(lambda line: line.write(text))

    def _use(self, do: Callable[[CliLine], T]) -> T:
        if self._line is None:
            raise LabError(f"{self._name}: the shell is closed")
        try:
            return do(self._line)
        except LabError:
            self.close()
            raise

    def _lost(self, why: str) -> LabError:
        self.close()
        return LabError(f"{self._name}: the host {why}")
