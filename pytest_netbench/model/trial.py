"""Input and output of a trial: Brief, Trace, Submission, TrialRecord, TrialResult."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from pytest_netbench.model.agentsettings import AgentSettings
from pytest_netbench.model.base import Model, Recorded
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.payload import TaskSize
from pytest_netbench.model.process import Process
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.score import Score
from pytest_netbench.model.search import Sought
from pytest_netbench.model.task import Budget, Task
from pytest_netbench.model.topology import Control
from pytest_netbench.model.watch import Judgement, Watch
from pytest_netbench.text import as_plain


class MethodSpec(Model):
    """One ANI method as an agent sees it: name, description, and the JSON Schemas of its parameters and its result."""

    name: str
    description: str
    parameters: dict[str, Any]
    result: dict[str, Any] = {}


class SshLogin(Model):
    """How to log in to one device. The credentials are made for one lab and end with it."""

    host: str
    port: int
    username: str
    password: str
    enable_secret: str = Field(description="what `enable` asks for, where the network OS has it")
    platform: str
    host_key: str = Field(description="as in known_hosts, behind the name")


class SshAccess(Model):
    """Devices that answer with SSH. ``inventory`` is the path of a JSON file that says the same while the lab is up."""

    inventory: str
    hosts: dict[str, SshLogin]


class Brief(Model):
    """All that an agent is told. It has no field for ground truth, testcases or startup configs.

    ``intents`` are the operator's texts. ``sub_intents`` say for each of them what it means per device, ``R1: …``; they
    are empty unless the agent file asks for them.
    """

    task_name: str
    family: str
    intents: tuple[str, ...]
    sub_intents: tuple[tuple[str, ...], ...] = Field((), description="by intent, if the agent file asks for them")
    rules: tuple[str, ...] = Field((), description="what holds beside the intents")
    devices: dict[str, str] = Field({}, description="device name to platform")
    control: dict[str, Control] = Field(
        {},
        description="by device name. managed: configure it; observed: read it and send packets from it, do not change"
        " it; foreign: not accessible",
    )
    methods: tuple[MethodSpec, ...] = ()
    budget: Budget
    hints: tuple[str, ...] = ()
    answer: dict[str, Any] | None = Field(
        None, description="JSON Schema of what to hand in as `answer`; none if only the state of the network counts"
    )
    ssh: SshAccess | None = Field(None, description="logins, if the devices answer with SSH")


class Usage(Model):
    """What the model cost. ``cost_usd`` is ``None`` when no price is known.

    ``waited_s``: wall seconds of waits because the provider limited the rate or failed. They are part of the trial.
    """

    completions: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    waited_s: float = 0.0


class Replayed(Recorded):
    """Where a model's answers came from, if they are recorded ones."""

    cassette: str = Field(description="path of the file")
    recorded_at: str = Field(description="ISO 8601, UTC")
    requests: int = Field(description="how many requests were answered")
    recorded: int = Field(description="how many the cassette has")


class Submission(Recorded):
    """What an agent submits when it is done.

    ``reasoning`` is the trace that the reasoning score compares; ``None`` if the agent has none.
    """

    reasoning: str | None = None
    answer: Annotated[dict[str, Any] | None, BeforeValidator(as_plain)] = None
    stop_reason: str = "done"
    usage: Usage = Usage()


class Step(Recorded):
    """One step of a trace. ``at_s`` is wall seconds since the agent started.

    kind ``ani``: ``data`` has method, params, result or error, duration_s, budget_left. A line entered over SSH has the
    method ``console``, with device, session, line and kind as its params.
    kind ``completion``: ``data`` has model, messages or their delta, response, usage, duration_s, prompt digests.
    kind ``note``: ``data`` has text (retries, truncations, condensation).
    """

    at_s: float
    kind: Literal["ani", "completion", "note"]
    data: dict[str, Any]


class CommandStatus(Recorded):
    """One configuration command and what the device said of it."""

    device: str
    command: str
    status: Literal["success", "error"]
    message: str = ""


_MARKED = re.compile(r"\(at '(.*)'\)$")


def offset_of(line: str, message: str) -> int:
    """The 0-based character of ``line`` that a device's message points to, by a marker or by a word."""
    first = len(line) - len(line.lstrip())
    marker = message.partition("\n")[0]
    if marker.strip() == "^":
        return min(marker.index("^"), max(len(line) - 1, 0))
    named = _MARKED.search(message)
    found = line.find(named[1], first) if named is not None else -1
    return max(found, first)


def in_one_line(message: str, line: str) -> str:
    """A device's message about a line, with the word at its marker, in one line."""
    marker, _, rest = message.partition("\n")
    if marker.strip() != "^":
        return " ".join(message.split())
    word = line[marker.index("^") :].split(maxsplit=1)
    return " ".join(rest.split()) + (f" (at {word[0]!r})" if word else "")


class RefusedLine(Model):
    """A line of a startup config that its device refused; ``line_number`` is 1-based."""

    node: str
    line_number: int
    line: str
    message: str = Field("", description="the device's words")

    def __str__(self) -> str:
        return f"{self.node} line {self.line_number}: {self.line.strip()}: {in_one_line(self.message, self.line)}"

    @property
    def offset(self) -> int:
        """The 0-based character of the line that the device objects to; the first one that says something otherwise."""
        return offset_of(self.line, self.message)


class BudgetUsed(Model):
    """What was used of a budget."""

    calls: int = 0
    commands: int = 0
    wall_s: float = 0.0
    tokens: int = 0
    lab_s: float | None = Field(None, description="lab seconds, if the lab stood still between requests")


class TestcaseResult(Recorded):
    """What running one testcase showed. Times in wall seconds."""

    __test__ = False

    name: str
    kind: str
    role: Literal["intent", "regression"]
    intent: int | None = None
    under: str | None = Field(None, description="the event under which it was observed")
    status: Literal["pass", "fail"]
    command: str = Field("", description="what was run to find out")
    expected: str = ""
    actual: str = ""
    duration_s: float = 0.0
    measured: float | None = Field(
        None, description="share of the recorded flows that were measured, 0 to 1; `null` if all had to be"
    )


class AgentInfo(Recorded):
    """The agent under evaluation.

    ``settings`` are plain values that can change a result (strategy, prompt digests, …). The terms of a trial are made
    from ``overrides``; results do not repeat it, because ``settings`` contains it as plain values.
    """

    kept_as_written: ClassVar[frozenset[str]] = frozenset({"overrides"})

    id: str
    model: str | None = None
    strategy: str
    settings: Annotated[dict[str, Any], BeforeValidator(as_plain)] = {}
    overrides: AgentSettings = Field(AgentSettings(), exclude=True, repr=False)


class Isolation(Recorded):
    """How agents' commands are kept apart from what they must not change, as the backend of the lab states it."""

    read_only: str | None = Field(
        None, description="what keeps `execute-cmd` from changing a node; `null` if nothing does"
    )
    runs_as: str | None = Field(None, description="as whom commands of agents run; `null` if it is not stated")


class Environment(Recorded):
    """The environment of a trial; part of every result."""

    netbench: str
    python: str
    pytest: str | None = None
    kernel: str
    backend: str | None = Field(
        None, description="what deployed the lab or the sandbox; ``None`` if nothing was deployed"
    )
    lab: str | None = Field(None, description="the lab that ran already and was used; ``None`` if it was deployed")
    notes: tuple[str, ...] = Field((), description="what agents are told of this lab, in sentences")
    platforms: dict[str, str] = Field({}, description="platform to version, e.g. frr: 8.4.4")
    features: tuple[str, ...] = ()
    substitutes: dict[str, str] = Field({}, description="kernel feature to what stood in for it")
    time_scale: float = 1.0
    clock: Literal["scaled", "events", "calls"] = Field(
        "scaled",
        description="how lab time passed: at the time scale; by events while a verdict waited; or only during the"
        " requests of an agent",
    )
    readiness: Readiness = Readiness()
    isolation: Isolation | None = Field(None, description="of agents' commands; `null` without a network")
    git_commit: str | None = None


Moment = Literal["healthy", "initial", "final"]
"""Before faults were injected, when the agent began, and when it had finished."""


class Findings(Recorded):
    """The results of evaluating a stage.

    ``unreadable`` has what could not be evaluated because of the agent's changes: the agent has failed then. ``watch``
    is what was seen while the agent worked. ``healthy_configs`` are the running configs before faults were injected,
    ``routes`` the routing tables by moment and node. ``judgement`` is of an answer. ``other`` has JSON values that only
    the task's family and its scorers understand.
    """

    initial_configs: dict[str, str] = {}
    final_configs: dict[str, str] = {}
    testcase_results: tuple[TestcaseResult, ...] = ()
    unenforced: dict[str, tuple[str, ...]] = Field(
        {}, description="by device: lines it accepted without doing what they say, and why"
    )
    refused_startup_lines: tuple[RefusedLine, ...] = Field(
        (), description="lines of startup configs that their devices refused; the devices booted on"
    )
    unreadable: tuple[str, ...] = ()
    watch: Watch | None = Field(None, description="the flows while the agent worked, if the family watches them")
    healthy_configs: dict[str, str] = Field({}, description="running configs before faults were injected")
    routes: dict[Moment, dict[str, dict[str, tuple[str, ...]]]] = Field(
        {}, description="by moment and node: prefix to protocol and next hops"
    )
    judgement: Judgement | None = Field(None, description="what the family's checker says of the answer")
    other: dict[str, Any] = {}


FORMAT: Final = 1
"""Of a stored record. It rises with each release that adds, removes or changes fields."""


class TrialRecord(Findings):
    """Everything that scorers may use, with the findings. It is self-contained: a stored run can be scored anywhere.

    ``truth_configs`` are the running configs that the oracle leaves, as the self-test recorded them for this task
    digest; ``None`` if none were recorded. ``right_configs`` are those that other recorded right solutions leave, by
    the name of the solution, of the nodes whose config differs from ``truth_configs``. ``outcome``: ``done`` the agent
    finished, ``budget`` it used up its budget, ``agent-error`` it failed.
    """

    kept_as_written: ClassVar[frozenset[str]] = frozenset({"task"})

    format: Annotated[int, Field(ge=1)] = FORMAT
    task: Task
    task_digest: str
    node_id: str
    agent: AgentInfo
    trial: int = 1
    extras: tuple[str, ...] = Field((), description="what the agent was offered beyond the draft")
    outcome: Literal["done", "budget", "agent-error"]
    error: str | None = None
    traceback: tuple[str, ...] = Field(
        (), description="where the agent's own code raised the error or was busy: at most eight frames, innermost last"
    )
    process_end: str | None = Field(None, description="how the agent's process ended, if it did: signal 11 (SIGSEGV)")
    submission: Submission
    trace: tuple[Step, ...] = ()
    commands: tuple[CommandStatus, ...] = ()
    violations: dict[str, int] = Field({}, description="by kind: how many requests the policy refused")
    budget_used: BudgetUsed = BudgetUsed()
    truth_initial_configs: dict[str, str] | None = None
    truth_configs: dict[str, str] | None = None
    right_configs: dict[str, dict[str, str]] = {}
    right_reasoning: dict[str, str] = Field({}, description="the reasoning of recorded right solutions, by their names")
    environment: Environment
    replayed: Replayed | None = Field(None, description="if the model's answers came from a cassette")
    started_at: str
    deploy_s: float = 0.0
    agent_s: float = 0.0
    evaluate_s: float = 0.0

    @model_validator(mode="before")
    @classmethod
    def _refuse_newer(cls, data: Any) -> Any:
        found = data.get("format", FORMAT) if isinstance(data, Mapping) else FORMAT
        if isinstance(found, int) and found > FORMAT:
            raise PydanticCustomError(
                "newer_format",
                "its format is {found}, and this version reads up to {known} (fix: pip install -U pytest-netbench)",
                {"found": found, "known": FORMAT},
            )
        return data


class TrialResult(Recorded):
    """A record with its scores; ``status``: a trial whose lab failed is ``error`` and has no scores.

    ``record`` is there where the trial was executed. It is stored beside the result and not in it.
    """

    kept_as_written: ClassVar[frozenset[str]] = frozenset({"record"})

    node_id: str
    task_name: str
    task_digest: str
    domain: str
    family: str
    size: TaskSize | None = Field(None, description="of the task; ``None`` in results of before it was counted")
    variant: int | None = Field(None, description="seed of the variant, if the task is one")
    agent: AgentInfo
    trial: int
    drawn: Drawn | None = Field(None, description="the draw that made the task; ``None`` for other tasks")
    regions: dict[str, tuple[str, ...]] = Field(
        {}, description="by axis: where a drawn task lies among those that its generator draws"
    )
    sought: Sought | None = Field(None, description="why a search for failures chose the task, if one did")
    extras: tuple[str, ...] = Field((), description="what the agent was offered beyond the draft")
    status: Literal["passed", "failed", "error"]
    outcome: str | None = None
    error: str | None = None
    traceback: tuple[str, ...] = Field(
        (), description="where the agent's own code raised the error or was busy: at most eight frames, innermost last"
    )
    process_end: str | None = Field(None, description="how the agent's process ended, if it did: signal 11 (SIGSEGV)")
    scores: tuple[Score, ...] = ()
    usage: Usage = Usage()
    budget_used: BudgetUsed = BudgetUsed()
    testcase_results: tuple[TestcaseResult, ...] = ()
    commands: tuple[CommandStatus, ...] = ()
    methods: dict[str, int] = Field({}, description="by ANI method: how many requests the agent sent")
    changed: tuple[str, ...] = Field((), description="nodes whose running config the agent changed")
    violations: dict[str, int] = Field({}, description="by kind: how many requests the policy refused")
    unenforced: dict[str, tuple[str, ...]] = Field(
        {}, description="by device: lines it accepted without doing what they say, and why"
    )
    refused_startup_lines: tuple[RefusedLine, ...] = Field(
        (), description="lines of startup configs that their devices refused; the devices booted on"
    )
    process: Process | None = Field(
        None, description="how the agent worked, and why its trial failed; `null` without a record"
    )
    environment: Environment | None = None
    replayed: Replayed | None = Field(None, description="if the model's answers came from a cassette")
    transcript: str | None = Field(None, description="path of the full record, relative to the results directory")
    sealed: str | None = Field(
        None, description="path of the sealed details of a trial of a sealed task, relative to the results directory"
    )
    started_at: str
    duration_s: float = 0.0
    deploy_s: float = 0.0
    agent_s: float = 0.0
    evaluate_s: float = 0.0
    record: TrialRecord | None = Field(None, exclude=True, repr=False, description="what the trial was scored from")

    @property
    def measured(self) -> float:
        """The least share of the recorded flows that a testcase compared, 0 to 1."""
        return min((one.measured for one in self.testcase_results if one.measured is not None), default=1.0)

    def score(self, metric: str) -> float | None:
        """The value of ``metric``, or ``None`` if it was not measured."""
        for score in self.scores:
            if score.metric == metric:
                return score.value
        return None
