"""The exec commands of the area ``files``."""

from __future__ import annotations

import difflib
import hashlib
import time
from collections.abc import Generator, Iterator

from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.device.exec import Ask, Exec
from pytest_netbench.platforms.cisco_ios.device.flash import SIZE, Flash
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action, show
from pytest_netbench.platforms.cisco_ios.session import rehearsal

Talk = Generator[str | Ask, str, None]

_FLASH = ("flash", "bootflash", "disk0", "flash0")

_RUNNING, _STARTUP, _NULL = "running-config", "startup-config", "null:"

_ARCHIVE_OFF = "Archive feature not enabled\n"


class _Trouble(Exception):
    """An error reading or writing a file; its text is the device's message."""


def _place(word: str) -> tuple[str, str]:
    """Split a path into file system and name: ``flash:/x.txt`` is ``("flash", "x.txt")``."""
    system, _, name = word.partition(":")
    return system.lower(), name.lstrip("/")


def _load(device: Device, word: str) -> bytes:
    system, name = _place(word)
    if (system, name) == ("system", _RUNNING) or word == _RUNNING:
        return device.running_config().encode()
    if (system, name) == ("nvram", _STARTUP) or word == _STARTUP:
        return device.startup_config.encode()
    if system == "null":
        return b""
    flash = Flash(device)
    if system not in _FLASH or name not in flash.names():
        raise _Trouble(f"%Error opening {word} (No such file or directory)\n")
    return flash.load(name)


def _store(device: Device, word: str, data: bytes) -> None:
    system, name = _place(word)
    if system not in _FLASH or not name:
        raise _Trouble(f"%Error opening {word} (Invalid argument)\n")
    try:
        Flash(device).store(name, data)
    except OSError:
        raise _Trouble(f"%Error opening {word} (No space left on device)\n") from None


def _quiet(device: Device) -> bool:
    return device.config.has("file prompt quiet")


# -- dir, more, delete, verify ---------------------------------------------------------------------------------------


def _dir(at: Exec, match: Match) -> str:
    word = str(match.get("where", "flash:"))
    system, name = _place(word)
    flash = Flash(at.device)
    names = [one for one in sorted(flash.names()) if name in {"", one}]
    if system not in _FLASH or (name and not names):
        return f"%Error opening {word} (No such file or directory)\n"
    lines = [f"Directory of {system}:/{name}", ""]
    for number, one in enumerate(names, start=1):
        file = flash.file(one)
        stamp = time.strftime("%b %d %Y %H:%M:%S +00:00", time.gmtime(file.written_s))
        lines.append(f"{number:>5}  -rw-  {len(file.data):>12}  {stamp}  {one}")
    if not names:
        lines.append("No files in directory")
    return "\n".join([*lines, "", f"{SIZE} bytes total ({flash.free} bytes free)", ""])


def _more(at: Exec, match: Match) -> str:
    try:
        text = _load(at.device, str(match["file"])).decode(errors="replace")
    except _Trouble as trouble:
        return str(trouble)
    return text.replace("\r\n", "\n").rstrip("\n") + "\n"


def _delete(at: Exec, match: Match) -> Talk:
    word = str(match["file"])
    name = _place(word)[1]
    if not match.has("/force") and not _quiet(at.device):
        name = (yield Ask(f"Delete filename [{name}]? ")).strip() or name
        if (yield Ask(f"Delete {_place(word)[0]}:/{name}? [confirm]")):
            return
    try:
        Flash(at.device).remove(name)
    except FileNotFoundError:
        yield f"%Error deleting {word} (No such file or directory)\n"


def _verify(at: Exec, match: Match) -> str:
    word = str(match["file"])
    try:
        digest = hashlib.md5(_load(at.device, word), usedforsecurity=False).hexdigest()
    except _Trouble as trouble:
        return str(trouble)
    if "digest" not in match.args:
        return f"..Done!\nverify /md5 ({word}) = {digest}\n"
    if str(match["digest"]).lower() == digest:
        return f"..Done!\nVerified ({word}) = {digest}\n"
    return (
        f"..Done!\n%Error verifying {word}\nComputed signature  = {digest}\nSubmitted signature = {match['digest']}\n"
    )


# -- copy ------------------------------------------------------------------------------------------------------------


def _copy(at: Exec, match: Match) -> Talk:
    device = at.device
    source = _endpoint(match, "source")
    target = _endpoint(match, "target")
    quiet = _quiet(device)
    try:
        data = _load(device, source)
        if not quiet:
            target = yield from _destination(target)
            if _exists(device, target) and (
                yield Ask(
                    "%Warning:There is a file already existing with this name\nDo you want to over write? [confirm]"
                )
            ):
                return
        yield from _put(device, target, data)
    except _Trouble as trouble:
        yield str(trouble)


def _endpoint(match: Match, name: str) -> str:
    if name in match.args:
        return str(match[name])
    words = match.text.split()[1:]
    return words[0 if name == "source" else -1]


def _destination(target: str) -> Generator[str | Ask, str, str]:
    system, colon, name = target.partition(":")
    offered = name.lstrip("/") if colon else target
    answer = (yield Ask(f"Destination filename [{offered}]? ")).strip() or offered
    return f"{system}:{answer}" if colon else target


def _exists(device: Device, target: str) -> bool:
    system, name = _place(target)
    return system in _FLASH and name in Flash(device).names()


def _put(device: Device, target: str, data: bytes) -> Iterator[str]:
    if _is(target, _RUNNING):
        yield rehearsal.type_all(device, data.decode(errors="replace").splitlines())
    elif _is(target, _STARTUP):
        device.startup_config = data.decode(errors="replace")
        yield "[OK]\n"
    elif _place(target)[0] != "null":
        _store(device, target, data)
    yield f"{len(data)} bytes copied in 0.010 secs ({len(data) * 100} bytes/sec)\n"


def _is(word: str, config: str) -> bool:
    return word == config or word in {f"system:{config}", f"nvram:{config}", f"system:/{config}", f"nvram:/{config}"}


def _erase(at: Exec, _match: Match) -> Talk:
    question = "Erasing the nvram filesystem will remove all configuration files! Continue? [confirm]"
    if not (yield Ask(question)):
        at.device.startup_config = ""
        yield "[OK]\nErase of nvram: complete\n"


# -- archive: differences and replacement ----------------------------------------------------------------------------


def _archive_on(device: Device) -> bool:
    return any(section.has("path") for _, section in device.config.sections("archive"))


def _show_archive(at: Exec, _match: Match) -> str:
    if not _archive_on(at.device):
        return _ARCHIVE_OFF
    return "The maximum archive configurations allowed is 10.\nThere are currently 0 archive configurations saved.\n"


def _no_timer(_at: Exec, _match: Match) -> str:
    return "%No Rollback Confirmed Change pending\n"


def _differences(at: Exec, match: Match) -> str:
    first = str(match.get("first", f"nvram:{_STARTUP}"))
    second = str(match.get("second", f"system:{_RUNNING}"))
    try:
        texts = [_load(at.device, word).decode(errors="replace") for word in (first, second)]
    except _Trouble as trouble:
        return str(trouble)
    changes = contextual(*(_config_lines(text) for text in texts))
    return "\n".join(["!Contextual Config Diffs:", *(changes or ["!No changes were found"]), ""])


def _incremental(at: Exec, match: Match) -> str:
    try:
        lines = _load(at.device, str(match["file"])).decode(errors="replace").splitlines()
    except _Trouble as trouble:
        return str(trouble)
    after, refused = rehearsal.merged(at.device, lines)
    given = rehearsal.seeds(after)
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
        text = _load(at.device, str(match["file"])).decode(errors="replace")
    except _Trouble as trouble:
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
    refused = rehearsal.replace(at.device, text)
    yield (
        "Total number of passes: 1\nRollback Done\n\n"
        if refused is None
        else (f"{refused}The input file is not a valid config file.\n")
    )


EXEC = (
    action("dir [ {where:file} ]", _dir, "List files on a filesystem", changes=False),
    action("more {file:file}", _more, "Display the contents of a file", changes=False),
    action("delete [ /force ] [ /recursive ] {file:file}", _delete, "Delete a file"),
    action("verify /md5 {file:file} [ {digest:word} ]", _verify, "Verify a file", changes=False),
    action("copy running-config {target:file}", _copy, "Copy from one file to another"),
    action("copy startup-config {target:file}", _copy),
    action("copy startup-config running-config", _copy),
    action("copy {source:file} running-config", _copy),
    action("copy {source:file} startup-config", _copy),
    action("copy {source:file} {target:file}", _copy),
    action("erase startup-config", _erase, "Erase a filesystem"),
    action("erase nvram:", _erase),
    action("write erase", _erase),
    show("archive", _show_archive, "Archive functions", user=False),
    show("archive config rollback timer", _no_timer, user=False),
    show("archive config differences [ {first:file} [ {second:file} ] ]", _differences, user=False),
    show("archive config incremental-diffs {file:file} [ ignorecase ]", _incremental, user=False),
    action(
        "configure replace {file:file} < force | list | revert trigger error >", _replace, "Enter configuration mode"
    ),
)
