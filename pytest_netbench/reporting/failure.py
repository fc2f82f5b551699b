"""A trial that failed, in few lines: how the agent ended, what it did, which testcases failed, where the rest is."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from pytest_netbench.model.trial import TestcaseResult, TrialResult
from pytest_netbench.reporting import words
from pytest_netbench.reporting.ending import ending, traceback_of

LINES: Final = 23
"""The most lines of a failure. pytest adds its heading, and with xdist a line that names the worker."""
_ERROR_LINES: Final = 12
"""The most lines of what an error says behind its first line, such as a traceback."""
_FOR_TESTCASES, _FOR_REASONS = 7, 3
"""Lines that an error must leave: a heading, one testcase, and how many more failed; or reasons."""
_ENDED: Final = {"agent error": "error", "budget": "budget used up"}
_ROW: Final = 12
_INDENT: Final = "    "


def failure_lines(
    result: TrialResult, *, reason: str, width: int, room: int = LINES, rest: Sequence[tuple[str, str]] = ()
) -> list[str]:
    """Return at most ``room`` lines (at least 12) of at most ``width`` characters.

    Args:
        result: A trial that failed.
        reason: Why it failed, in one line; shown if no testcase tells.
        width: Characters of a line.
        room: The most lines.
        rest: Label and text of each line that says where the rest is. They are never clipped, so that they can be
            copied.
    """
    tail = [_labelled(label, text) for label, text in rest]
    taken = sum(max(1, -(-len(line) // width)) for line in tail)
    did = list(_did(result, width))
    kept = _FOR_TESTCASES if any(one.status == "fail" for one in result.testcase_results) else _FOR_REASONS
    head = [*_agent(result, width, room=room - len(did) - taken - kept), *did]
    return [*head, *_failed(result, reason, width=width, room=room - len(head) - taken), *tail]


def sealed_failure(result: TrialResult) -> str:
    """What is said of a failed trial of a sealed task, in one line without its reasons."""
    scores = ", ".join(f"{one.metric} {one.value:.3g}" for one in result.scores if one.value is not None)
    how = f"{result.status}, {result.outcome}" if result.outcome not in {None, "done"} else result.status
    return f"{how} ({scores or 'no scores'}); the reasons are sealed, as the task is (netbench unseal shows them)"


def head_lines(result: TrialResult, *, width: int) -> list[str]:
    """How the agent ended and what it did, above all that failed."""
    return [*_agent(result, width, room=_ERROR_LINES), *_did(result, width)]


def _agent(result: TrialResult, width: int, *, room: int) -> Iterator[str]:
    """How the agent ended. The first line of an error stands beside it, a traceback below."""
    first, *more = (result.error or "").strip("\n").splitlines() or [""]
    more += traceback_of(result)
    how = f"{_ENDED.get(ending(result), ending(result))} after {words.seconds(result.agent_s)}"
    begin, *wrapped = _wrapped(f"{how}: {first}" if first else how, width - _ROW, most=min(3, max(room, 1)))
    yield _labelled("agent", begin)
    yield from (" " * _ROW + line for line in wrapped)
    left = min(_ERROR_LINES, room - 1 - len(wrapped))
    if left >= 2:
        yield from (words.cut(_INDENT + line, width) for line in _middle_left_out(more, left))


def _did(result: TrialResult, width: int) -> Iterator[str]:
    used = result.budget_used
    methods = ", ".join(f"{name} {count}" for name, count in Counter(result.methods).most_common())
    refused = sum(one.status == "error" for one in result.commands)
    calls = [
        words.several(used.calls, "call") + (f" ({methods})" if methods else ""),
        words.several(used.commands, "command") + (f" ({refused} refused)" if refused else ""),
    ]
    if result.usage.completions:
        calls.append(f"{words.count(result.usage.prompt_tokens + result.usage.completion_tokens)} tokens")
    times = (("deploy", result.deploy_s), ("agent", result.agent_s), ("evaluation", result.evaluate_s))
    split = " + ".join(f"{name} {words.seconds(spent)}" for name, spent in times)
    rows = (
        ("did", ", ".join(calls)),
        ("changed", ", ".join(result.changed) or ("not told: sealed" if result.sealed else "no node")),
        ("time", f"{words.seconds(result.duration_s)} = {split}"),
    )
    yield from (words.cut(_labelled(label, text), width) for label, text in rows)


def _failed(result: TrialResult, reason: str, *, width: int, room: int) -> Iterator[str]:
    failed = [one for one in result.testcase_results if one.status == "fail"]
    if not failed:
        lines = [line for text in _reasons(result, reason) for line in _wrapped(text, width, most=3)]
        yield from lines[: max(room, 1)]
        return
    yield f"{len(failed)} of {len(result.testcase_results)} testcases failed:"
    blocks = [list(_testcase(one, width)) for one in failed]
    shown = _fitting(blocks, room - 1)
    for block in blocks[:shown]:
        yield from block
    if shown < len(failed):
        names = "; ".join(one.name for one in failed[shown:])
        yield words.cut(f"  and {len(failed) - shown} more: {names}", width)


def _fitting(blocks: Sequence[Sequence[str]], room: int) -> int:
    """How many blocks fit. One line is kept free unless all of them do."""
    if sum(map(len, blocks)) <= room:
        return len(blocks)
    ends = accumulate(map(len, blocks))
    return sum(end < room for end in ends)


def _testcase(one: TestcaseResult, width: int) -> Iterator[str]:
    under = "" if one.under is None else f", under {one.under}"
    yield words.cut(f"  {one.name} [{one.kind}{under}]", width)
    for label, text in (("expected", one.expected), ("actual", one.actual)):
        begin, *more = _wrapped(text or "(nothing)", width - 4 - 10, most=2)
        yield f"{_INDENT}{label + ':':<10}{begin}"
        yield from (f"{_INDENT}{'':<10}{line}" for line in more)


def _reasons(result: TrialResult, reason: str) -> Iterator[str]:
    """Why a trial failed whose testcases do not tell: the scores, with what they say."""
    if result.outcome != "agent-error":
        yield reason
    for score in result.scores:
        if score.value is not None and score.value < 1 and "." not in score.metric:
            yield f"  {score.metric} {words.score(score.value)}: {score.explanation}"


def _labelled(label: str, text: str) -> str:
    return f"{label + ':':<{_ROW}}{text}"


def _wrapped(text: str, width: int, *, most: int) -> list[str]:
    """``text`` in at most ``most`` lines; the last one says by ``…`` that something is left out."""
    indent = text[: len(text) - len(text.lstrip(" "))]
    lines = textwrap.wrap(
        " ".join(text.split()),
        width=max(width, 20),
        initial_indent=indent,
        subsequent_indent=indent * 2,
        max_lines=most,
        placeholder=" …",
        break_on_hyphens=False,
    )
    return lines or [""]


def _middle_left_out(lines: Sequence[str], most: int) -> Iterable[str]:
    if len(lines) <= most:
        return lines
    left_out = len(lines) - most + 1
    return [*lines[: most // 2], f"… {left_out} lines …", *lines[left_out + most // 2 :]]
