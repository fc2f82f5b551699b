"""Every error this package raises on purpose.

    NetbenchError
    ├── InputError                 user input is invalid: names file, line and the fix
    │   ├── TaskFileError
    │   ├── SolutionsFileError     recorded solutions of a task
    │   ├── AgentFileError
    │   ├── PolicyFileError        the policy of a gate
    │   ├── BaselineFileError      the baseline of a gate
    │   ├── CassetteError          recorded answers of a model
    │   │   └── CassetteMiss       a request that was not recorded: never a score
    │   ├── SealedFileError        a sealed bundle, or a key that does not open it
    │   └── UsageError             a command-line option or an argument
    │       └── AgentCannotStart   an agent that is refused before the first lab, for a reason of its own
    ├── RequirementMissing         something that a task needs is missing; has the remedy
    ├── InfrastructureError        not the agent's failure: a pytest ERROR, never a score
    │   ├── LabError
    │   │   ├── StartupConfigRejected
    │   │   ├── NotReady
    │   │   ├── FaultHasNoEffect   a fault that was injected did not do what it should
    │   │   ├── TookTooLong        a request exceeded its time; the agent's failure if the lab is healthy
    │   │   ├── MachineTooBusy     packets were not sent at the rate that was to be measured
    │   │   └── LabDied
    │   ├── ProviderError          the model's provider, after retries
    │   ├── RunBudgetSpent         the whole run may ask no model any more
    │   └── ResultsError           results cannot be written
    ├── AgentError                 the agent itself failed: FAILED, scored on the state it left
    │   ├── GroundTruthRejected    the oracle's commands; of a strict task it is an error
    │   └── BudgetExhausted        raised to the agent by the ANI once its budget is used up
    └── AniError                   one ANI request was refused; the agent may go on
        └── PolicyViolation        it was not permitted to this agent; results count these

A message says what is wrong, where, what is known and how to fix it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pytest_netbench.rpccodes import Code


class NetbenchError(Exception):
    """Base of all errors raised on purpose."""


class InputError(NetbenchError):
    """User input is invalid.

    Args:
        message: What is wrong, what is known and how to fix it.
        path: The file, if there is one.
        line: 1-based line in it, if known.
        column: 1-based column in that line, if known.
        problems: Line, column and message of each problem, if there are several.
    """

    def __init__(
        self,
        message: str,
        *,
        path: Path | str | None = None,
        line: int | None = None,
        column: int | None = None,
        problems: Sequence[tuple[tuple[int, int], str]] = (),
    ) -> None:
        place = ":".join(str(one) for one in (path, line, column) if one is not None)
        super().__init__(message if path is None else f"{place}: {message}")
        self.message = message
        self.path = path
        self.line = line
        self.column = column
        self.problems = tuple(problems)


class TaskFileError(InputError):
    """A task file that cannot be used."""


class SolutionsFileError(InputError):
    """A file of recorded solutions that cannot be used."""


class AgentFileError(InputError):
    """An agent file, or an agent's name, that cannot be used."""


class PolicyFileError(InputError):
    """The policy of a gate that cannot be used."""


class BaselineFileError(InputError):
    """The baseline of a gate that cannot be used or written."""


class CassetteError(InputError):
    """Recorded answers of a model that cannot be used."""


class CassetteMiss(CassetteError):
    """A request of an agent that its cassette does not have: the agent, its task or its network has changed."""


class SealedFileError(InputError):
    """A sealed bundle, or sealed results, that were changed or that the given key does not open."""


class UsageError(InputError):
    """A command-line option or an argument that cannot be used."""


class AgentCannotStart(UsageError):
    """An agent that cannot start, for a reason of its own: its class, its program, its options or its model.

    Args:
        message: What is wrong, what is known and how to fix it.
        path: Its agent file, if there is one.
        line: 1-based line in it, if known.
        frames: Frames of the agent's own code, each in words.
        printed: The last lines that its code printed.
        field: The field of an agent file that says this, e.g. ``program.command``.
    """

    def __init__(
        self,
        message: str,
        *,
        path: Path | str | None = None,
        line: int | None = None,
        frames: Sequence[str] = (),
        printed: Sequence[str] = (),
        field: str = "strategy",
    ) -> None:
        said = ("  It printed:", *(f"    {one}" for one in printed)) if printed else ()
        super().__init__("\n".join([message, *frames, *said]), path=path, line=line)
        self.reason = message
        self.frames = tuple(frames)
        self.printed = tuple(printed)
        self.field = field


class RequirementMissing(NetbenchError):
    """Something that a task needs is missing on this machine.

    Args:
        lack: What is missing, e.g. ``"the kernel has no netem qdisc"``.
        remedy: The command that fixes it, or ``None`` if there is none.
    """

    def __init__(self, lack: str, remedy: str | None = None) -> None:
        super().__init__(lack if remedy is None else f"{lack} (fix: {remedy})")
        self.lack = lack
        self.remedy = remedy


class InfrastructureError(NetbenchError):
    """The infrastructure failed. Counted separately and never averaged into a score."""


class LabError(InfrastructureError):
    """A lab could not be deployed, used or destroyed."""


class StartupConfigRejected(LabError):
    """A device refused a line of its startup config, and that is fatal.

    Args:
        node: The node.
        line_number: 1-based line in the node's startup config.
        line: The line as written.
        device_message: The device's message.
        further: One phrase for each further refused line of the lab.
        refused: All refused lines of the lab, each a ``RefusedLine``.
    """

    def __init__(
        self,
        *,
        node: str,
        line_number: int,
        line: str,
        device_message: str,
        further: Iterable[str] = (),
        refused: Sequence[object] = (),
    ) -> None:
        words = " ".join(device_message.split())
        first = f"{node}: startup config line {line_number} was rejected: {line.strip()!r}: {words}"
        super().__init__("\n".join([first, *further]))
        self.node = node
        self.line_number = line_number
        self.line = line
        self.device_message = device_message
        self.refused = tuple(refused)


_MOST_SHOWN = 10
"""Of what a network still waits for, so many are named: a large one waits for hundreds."""


class NotReady(LabError):
    """The network did not converge in time.

    Args:
        missing: What it still waited for, one phrase each.
        waited_s: Wall-clock seconds waited.
    """

    def __init__(self, missing: Iterable[str], *, waited_s: float) -> None:
        self.missing = tuple(missing)
        self.waited_s = waited_s
        shown = self.missing[:_MOST_SHOWN]
        more = f"; and {len(self.missing) - len(shown)} more" if len(self.missing) > len(shown) else ""
        super().__init__(f"lab not ready after {waited_s:.1f} s; still waiting for: {'; '.join(shown)}{more}")


class FaultHasNoEffect(LabError):
    """A fault could not be injected, or the network does not behave as the fault demands.

    Args:
        fault: Name of the fault.
        reason: What was expected and what was seen.
    """

    def __init__(self, fault: str, reason: str) -> None:
        super().__init__(f"fault {fault} has not the effect that the task needs: {reason}")
        self.fault = fault
        self.reason = reason


class TookTooLong(LabError):
    """A device exceeded the time of one request.

    Args:
        seconds: The time allowed.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"ended after {seconds:.1f} s: it took too long")
        self.seconds = seconds


class MachineTooBusy(LabError):
    """This machine did not send packets at the rate that was to be measured, so the measurement says nothing.

    Args:
        rate_bps: The rate that was asked for.
        offered_bps: What was sent.
    """

    def __init__(self, rate_bps: float, offered_bps: float) -> None:
        super().__init__(
            f"this machine is too busy: it sent {offered_bps / 1e6:.1f} of {rate_bps / 1e6:.1f} Mbit/s"
            " (fix: run fewer workers, or nothing beside them)"
        )
        self.rate_bps = rate_bps
        self.offered_bps = offered_bps


class LabDied(LabError):
    """The lab's supervisor is gone, or another part of it that no agent can end."""


class ProviderError(InfrastructureError):
    """The model's provider kept failing after retries.

    An infrastructure error if this package's model client raised it; raised by an agent it is the agent's failure.
    """


class RunBudgetSpent(InfrastructureError):
    """The budget of the run is used up: no model is asked any more, and the trial is not judged."""


class ResultsError(InfrastructureError):
    """Results cannot be written."""


class AgentError(NetbenchError):
    """The agent failed by itself.

    ``submission`` is what it still submitted (a ``Submission``), if anything.
    """

    submission: object | None = None


class GroundTruthRejected(AgentError):
    """A device refused commands of the ground truth: the task is broken.

    Args:
        message: What was refused.
        refused: Node, 0-based number, command and the device's message of each refused command.
        is_fatal: Whether the task is strict. Then it is an error of the task, and no trial is scored.
    """

    def __init__(
        self, message: str, *, refused: Sequence[tuple[str, int, str, str]] = (), is_fatal: bool = False
    ) -> None:
        super().__init__(message)
        self.refused = tuple(refused)
        self.is_fatal = is_fatal


class BudgetExhausted(AgentError):
    """The agent used up its budget.

    Args:
        limit: Which limit, e.g. ``"calls"``.
        allowed: How much it had.
    """

    def __init__(self, limit: str, allowed: float) -> None:
        super().__init__(f"budget exhausted: {limit} (allowed {allowed:g})")
        self.limit = limit
        self.allowed = allowed


class AniError(NetbenchError):
    """One ANI request was refused.

    Args:
        message: What is wrong and what is known.
        code: JSON-RPC 2.0 error code, of ``rpccodes.Code`` unless another server sent it.
    """

    def __init__(self, message: str, *, code: int = Code.POLICY_DENIED) -> None:
        super().__init__(message)
        self.code = code


class PolicyViolation(AniError):
    """One ANI request was not permitted to this agent.

    Args:
        message: What is not permitted, and what is.
        kind: What the policy excludes: ``method``, ``device``, ``control``, ``command`` or ``approval``.
    """

    def __init__(self, message: str, *, kind: str) -> None:
        super().__init__(message, code=Code.POLICY_DENIED)
        self.kind = kind
