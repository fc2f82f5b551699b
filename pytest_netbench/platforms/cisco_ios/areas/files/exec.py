"""The exec commands of the area ``files``."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Generator, Iterator

from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.device.exec import Ask, Exec
from pytest_netbench.platforms.cisco_ios.device.flash import SIZE, Flash
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action
from pytest_netbench.platforms.cisco_ios.session import dry_run

Talk = Generator[str | Ask, str, None]
_FLASH = ("flash", "bootflash", "disk0", "flash0")
RUNNING, STARTUP, _NULL = "running-config", "startup-config", "null:"


class Trouble(Exception):
    """An error reading or writing a file; its text is the device's message."""


def _place(word: str) -> tuple[str, str]:
    """Split a path into file system and name: ``flash:/x.txt`` is ``("flash", "x.txt")``."""
    system, _, name = word.partition(":")
    return system.lower(), name.lstrip("/")


def load_file(device: Device, word: str) -> bytes:
    """Return the contents of a file."""
    system, name = _place(word)
    if (system, name) == ("system", RUNNING) or word == RUNNING:
        return device.running_config().encode()
    if (system, name) == ("nvram", STARTUP) or word == STARTUP:
        return device.startup_config.encode()
    if system == "null":
        return b""
    flash = Flash(device)
    if system not in _FLASH or name not in flash.names():
        raise Trouble(f"%Error opening {word} (No such file or directory)\n")
    return flash.load(name)


def _store(device: Device, word: str, data: bytes) -> None:
    system, name = _place(word)
    if system not in _FLASH or not name:
        raise Trouble(f"%Error opening {word} (Invalid argument)\n")
    try:
        Flash(device).store(name, data)
    except OSError:
        raise Trouble(f"%Error opening {word} (No space left on device)\n") from None


def _quiet(device: Device) -> bool:
    return device.config.has("file prompt quiet")


# -- dir, more, delete, verify ----------------------------------------------------------------------------------------


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
        text = load_file(at.device, str(match["file"])).decode(errors="replace")
    except Trouble as trouble:
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
        digest = hashlib.md5(load_file(at.device, word), usedforsecurity=False).hexdigest()
    except Trouble as trouble:
        return str(trouble)
    if "digest" not in match.args:
        return f"..Done!\nverify /md5 ({word}) = {digest}\n"
    if str(match["digest"]).lower() == digest:
        return f"..Done!\nVerified ({word}) = {digest}\n"
    return (
        f"..Done!\n%Error verifying {word}\nComputed signature  = {digest}\nSubmitted signature = {match['digest']}\n"
    )


# -- copy -------------------------------------------------------------------------------------------------------------


def _copy(at: Exec, match: Match) -> Talk:
    device = at.device
    source = _endpoint(match, "source")
    target = _endpoint(match, "target")
    quiet = _quiet(device)
    try:
        data = load_file(device, source)
        if not quiet:
            target = yield from _destination(target)
            if _exists(device, target) and (
                yield Ask(
                    "%Warning:There is a file already existing with this name\nDo you want to over write? [confirm]"
                )
            ):
                return
        yield from _put(device, target, data)
    except Trouble as trouble:
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
    if _is(target, RUNNING):
        yield dry_run.type_all(device, data.decode(errors="replace").splitlines())
    elif _is(target, STARTUP):
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
)
