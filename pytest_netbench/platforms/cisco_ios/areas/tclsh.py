"""``tclsh`` for clients that write files: ``puts [open "flash:name" w+] {text}``; other lines are exec commands."""

from __future__ import annotations

import re
from collections.abc import Generator

from pytest_netbench.platforms.cisco_ios.device.exec import Ask, Exec
from pytest_netbench.platforms.cisco_ios.device.flash import Flash
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Match
from pytest_netbench.platforms.cisco_ios.grammar.tables import action

Talk = Generator[str | Ask, str, None]

_PUTS = re.compile(r'\s*puts\s+\[\s*open\s+"?(?P<file>[^"\s]+)"?\s+w\+?\s*\]\s+\{(?P<text>.*)', re.DOTALL)

_LEAVES = {"tclquit", "exit", "quit"}

_FLASH = re.compile(r"(?:flash|bootflash|disk0):/?(?P<name>\S+)")


def _tclsh(at: Exec, _match: Match) -> Talk:
    if at.session.enable_secret is None:
        yield "% tclsh is for those who are logged in\n"
        return
    while (line := (yield Ask(f"{at.device.hostname}(tcl)#"))).strip() not in _LEAVES:
        puts = _PUTS.match(line)
        if puts is None:
            yield from at.session.stream(line)
            continue
        text = puts["text"]
        while not text.rstrip().endswith("}"):
            text += "\n" + (yield Ask("+>"))
        yield _put(at, puts["file"], text.rstrip().removesuffix("}"))


def _put(at: Exec, word: str, text: str) -> str:
    place = _FLASH.fullmatch(word)
    if place is None:
        return f'couldn\'t open "{word}": no such file or directory\n'
    try:
        Flash(at.device).store(place["name"], f"{text}\n".encode())
    except OSError as error:
        return f'couldn\'t write "{word}": {error.strerror}\n'
    return ""


EXEC = (action("tclsh", _tclsh, "Tool Command Language shell"),)

AREA = Area(
    name="tclsh",
    commands=(*EXEC,),
    scope=(('tclsh: puts [open "flash:NAME" w+] {TEXT}, exec commands', "yes"), ("tclsh: other Tcl commands", "no")),
)
