"""What judges a task, apart from what its lab needs while an agent works."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_netbench.errors import SealedFileError, UsageError
from pytest_netbench.families.plan.payload import Plan
from pytest_netbench.model.behaviour import Behaviour
from pytest_netbench.model.configure import Configure
from pytest_netbench.model.faulty import Faulty
from pytest_netbench.model.payload import Payload
from pytest_netbench.model.task import Task
from pytest_netbench.model.testcase import UnbrokenTestcase
from pytest_netbench.results.truth import Truth
from pytest_netbench.sealing.keys import SealingKey
from pytest_netbench.text import plain_json

DIGEST_FILE: Final = "checks.sha256"
SEALED_FILE: Final = "checks.sealed"
TASK_FILE: Final = "task.task.json"
_ABOUT: Final = "checks of a task of Harbor"
_OF_TASK: Final[Mapping[str, Any]] = {"ground_truth_reasoning": "", "notes": None}
_OF_DRAWS: Final[Mapping[str, Any]] = {"drawn": None, "variant": None}
_OF_CONFIGURE: Final = (
    *("ground_truth_configs", "ground_truth_origin", "further_ground_truths", "accepted_survivors"),
    *("testcases", "events", "reference"),
)
_NO_QUERY: Final[Mapping[str, Any]] = {"steps": [{"op": "list", "name": "withheld"}]}


def why_left_out(task: Task) -> str | None:
    """Why a task cannot be exported; ``None`` if it can."""
    payload = task.payload
    if payload.resource == "cluster":
        return "it works on a cluster, which the image has no programs for"
    if not isinstance(payload, Configure | Faulty | Plan):
        return f"family {task.family} does not say what of its tasks can be withheld"
    if isinstance(payload, Configure) and any(isinstance(one, UnbrokenTestcase) for one in payload.testcases):
        return "a testcase watches the agent's work, so it cannot be withheld until the end"
    return None


def withheld(task: Task) -> Task:
    """The task without what judges it: what its lab needs while an agent works.

    Faults stay, since the lab injects them, and with them the flows that show them.

    Raises:
        UsageError: It cannot be withheld, see ``why_left_out``.
    """
    if (why := why_left_out(task)) is not None:
        raise UsageError(f"task {task.slug}: {why}")
    # the draw of a network with faults says how its time passes
    header = {**_OF_TASK, **({} if isinstance(task.payload, Faulty) else _OF_DRAWS)}
    return task.model_copy(update=header).with_payload(**_withheld_of(task.payload))


def _withheld_of(payload: Payload) -> dict[str, Any]:
    fields = type(payload).model_fields
    if isinstance(payload, Configure):
        return {name: fields[name].get_default(call_default_factory=True) for name in _OF_CONFIGURE}
    if isinstance(payload, Plan):
        return {"query": type(payload.query).model_validate(_NO_QUERY)}
    return {}


def bundle(task: Task, truth: Truth | None, reference: Behaviour | None) -> str:
    """The checks as one JSON text: the whole task, and what was recorded of it."""
    recorded = {"truth": truth, "reference": reference}
    parts = {name: None if one is None else one.model_dump(mode="json") for name, one in recorded.items()}
    return plain_json({"task": task.model_dump(mode="json", by_alias=True), **parts}) + "\n"


def opened(data: Mapping[str, Any]) -> tuple[Task, Truth | None, Behaviour | None]:
    """What ``bundle`` was made of."""
    truth, reference = data["truth"], data["reference"]
    return (
        Task.model_validate(data["task"]),
        None if truth is None else Truth.model_validate(truth),
        None if reference is None else Behaviour.model_validate(reference),
    )


def digest_of(text: str | bytes) -> str:
    """SHA-256 of a text, in hex digits: by it the lab knows its checks without having them."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def sealed(text: str) -> tuple[str, str]:
    """The key of the checks, in hex digits, and the checks sealed with it. Equal checks give equal bytes.

    Raises:
        RequirementMissing: The extra ``seal`` is not installed.
    """
    content = text.encode()
    key = SealingKey.of_content(content)
    return key.hex, key.seal_once(content, about=_ABOUT).hex()


def acceptance(folder: Path) -> Callable[[bytes], bytes | None]:
    """What tells the checks of a lab from anything else, by what lies in ``folder``.

    A message is the checks themselves, or the key with which they are sealed; whatever else it is, they are ``None``.
    """
    digest = (folder / DIGEST_FILE).read_text(encoding="ascii").split()[0]
    content = bytes.fromhex((folder / SEALED_FILE).read_text(encoding="ascii"))

    def accept(message: bytes) -> bytes | None:
        try:
            checks = SealingKey.of_hex(message.decode("ascii").strip()).open(content, about=_ABOUT)
        except (UnicodeDecodeError, SealedFileError, UsageError):
            checks = message
        return checks if digest_of(checks) == digest else None

    return accept


def read(content: bytes) -> tuple[Task, Truth | None, Behaviour | None]:
    """What is in checks that were accepted."""
    return opened(json.loads(content))
