"""Configs compared with each other: ``show archive config``, ``configure replace``."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from pytest_netbench.platforms.cisco_ios.areas.files.exec import RUNNING, STARTUP, Talk, Trouble, load_file
from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.device.exec import Ask, Exec
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show
from pytest_netbench.platforms.cisco_ios.session import dry_run

_ARCHIVE_OFF = "Archive feature not enabled\n"


def _archive_on(device: Device) -> bool:
    return any(section.has("path") for _, section in device.config.sections("archive"))


def _show_archive(at: Exec, _match: Match) -> str:
    if not _archive_on(at.device):
        return _ARCHIVE_OFF
    return "The maximum archive configurations allowed is 10.\nThere are currently 0 archive configurations saved.\n"


def _no_timer(_at: Exec, _match: Match) -> str:
    return "%No Rollback Confirmed Change pending\n"


def _differences(at: Exec, match: Match) -> str:
    first = str(match.get("first", f"nvram:{STARTUP}"))
    second = str(match.get("second", f"system:{RUNNING}"))
    try:
        texts = [load_file(at.device, word).decode(errors="replace") for word in (first, second)]
    except Trouble as trouble:
        return str(trouble)
    changes = contextual(*(_config_lines(text) for text in texts))
    return "\n".join(["!Contextual Config Diffs:", *(changes or ["!No changes were found"]), ""])


def _incremental(at: Exec, match: Match) -> str:
    try:
        lines = load_file(at.device, str(match["file"])).decode(errors="replace").splitlines()
    except Trouble as trouble:
        return str(trouble)
    after, refused = dry_run.merged(at.device, lines)
    given = dry_run.seeds(after)
    wanted = [path for path in _config_lines(after.running_config()) if path not in given]
    before = [path for path in _config_lines(at.device.running_config()) if path not in given]
    changes = incremental(before, wanted)
    shown = (
        ["!List of Commands:", *changes, "end"] if changes else ["!List of Commands:", "end", "!No changes were found"]
    )
    return "\n".join([*refused.splitlines(), *shown, ""])


def _config_lines(text: str) -> list[tuple[str, ...]]:
    """Return each line with the lines above it, outermost first."""
    found: list[tuple[str, ...]] = []
    path: list[tuple[int, str]] = []
    for line in text.splitlines():
        words = line.strip()
        if not words or words.startswith("!") or words == "end":
            continue
        indent = len(line) - len(line.lstrip())
        path = [*(one for one in path if one[0] < indent), (indent, words)]
        found.append(tuple(text for _, text in path))
    return found


def contextual(before: list[tuple[str, ...]], after: list[tuple[str, ...]]) -> list[str]:
    """Return the lines that differ, marked ``+`` and ``-``, below their parent lines."""
    shown: list[str] = []
    context: tuple[str, ...] = ()
    for mark, path in _changes(before, after):
        for depth, parent in enumerate(path[:-1]):
            if context[: depth + 1] != path[: depth + 1]:
                shown.append(" " * depth + parent)
        shown.append(mark + " " * (len(path) - 1) + path[-1])
        context = path
    return shown


def incremental(before: list[tuple[str, ...]], after: list[tuple[str, ...]]) -> list[str]:
    """Return the commands that turn ``before`` into ``after``."""
    shown: list[str] = []
    context: tuple[str, ...] = ()
    changes = list(_changes(before, after))
    gone = {path for mark, path in changes if mark == "-"}
    come = {path for mark, path in changes if mark == "+"}
    for mark, path in changes:
        if mark == "-" and (any(path[:depth] in gone for depth in range(1, len(path))) or _overridden(path, come)):
            continue
        for depth, parent in enumerate(path[:-1]):
            if context[: depth + 1] != path[: depth + 1]:
                shown.append(" " * depth + parent)
        word = path[-1].removeprefix("no ") if path[-1].startswith("no ") else f"no {path[-1]}"
        shown.append(" " * (len(path) - 1) + (path[-1] if mark == "+" else word))
        context = path
    return shown


def _overridden(path: tuple[str, ...], come: set[tuple[str, ...]]) -> bool:
    """Whether a removed ``no X`` is replaced by an added ``X …``."""
    head, _, positive = path[-1].partition("no ")
    return not head and any(one[:-1] == path[:-1] and f"{one[-1]} ".startswith(f"{positive} ") for one in come)


def _changes(before: list[tuple[str, ...]], after: list[tuple[str, ...]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    matcher = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
    for kind, low, high, start, end in matcher.get_opcodes():
        if kind != "equal":
            yield from (("-", path) for path in before[low:high])
            yield from (("+", path) for path in after[start:end])


def _replace(at: Exec, match: Match) -> Talk:
    try:
        text = load_file(at.device, str(match["file"])).decode(errors="replace")
    except Trouble as trouble:
        yield str(trouble)
        return
    if match.has("trigger") and not _archive_on(at.device):
        yield "%Please turn config archive on before using this option\n"
        return
    if not match.has("force"):
        answer = yield Ask(
            "This will apply all necessary additions and deletions\nto replace the current running configuration with"
            " the\ncontents of the specified configuration file, which is\nassumed to be a complete configuration, not"
            " a partial\nconfiguration. Enter Y if you are sure you want to proceed. ? [no]: "
        )
        if not answer.strip().lower().startswith("y"):
            return
    refused = dry_run.replace(at.device, text)
    yield (
        "Total number of passes: 1\nRollback Done\n\n"
        if refused is None
        else (f"{refused}The input file is not a valid config file.\n")
    )


COMPARISONS = (
    show("archive", _show_archive, "Archive functions", user=False),
    show("archive config rollback timer", _no_timer, user=False),
    show("archive config differences [ {first:file} [ {second:file} ] ]", _differences, user=False),
    show("archive config incremental-diffs {file:file} [ ignorecase ]", _incremental, user=False),
    action(
        "configure replace {file:file} < force | list | revert trigger error >", _replace, "Enter configuration mode"
    ),
)
