"""Devices with a command line as the manuals of EOS and Junos describe it, as programs on a pseudo-terminal.

They have prompts, an echo, paging, modes, passwords, errors and commits, and a few commands. Their configs are kept in
a file, so that all sessions on a device have the same one: ``python -m tests.support.cli_device eos FILE``.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import subprocess
import sys
import termios
import tty
from pathlib import Path

from pytest_netbench.errors import LabError

SECRET = "open sesame"
LOCKED = "## another person edits it"
_PAGE = 10
_MORE = " --More-- "


class PtyCommandLine:
    """Implements ``platforms.access.CommandLine``: each connection is a program of its own."""

    def __init__(self, system: str, file: Path, secret: str = SECRET) -> None:
        self.enable_secret = secret
        self._argv = [sys.executable, "-m", "tests.support.cli_device", system, str(file)]
        self.lines: list[_PtyLine] = []

    def connect(self) -> _PtyLine:
        self.lines.append(_PtyLine(self._argv))
        return self.lines[-1]

    def close(self) -> None:
        for line in self.lines:
            line.close()


class _PtyLine:
    def __init__(self, argv: list[str]) -> None:
        self._fd, inner = pty.openpty()
        tty.setraw(inner, termios.TCSANOW)
        self._process = subprocess.Popen(argv, stdin=inner, stdout=inner, cwd=Path(__file__).parents[2])
        os.close(inner)
        fcntl.fcntl(self._fd, fcntl.F_SETFL, os.O_NONBLOCK)
        self.typed = ""

    def read(self) -> bytes:
        try:
            return os.read(self._fd, 65_536)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise LabError(f"the program ended: {error}") from error

    def write(self, text: str) -> None:
        self.typed += text
        data = text.encode()
        while data:
            try:
                data = data[os.write(self._fd, data) :]
            except BlockingIOError:
                continue

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
            os.close(self._fd)


class Device:
    """What both have in common: reads lines, echoes them, prints answers in pages."""

    pages = True

    def __init__(self, file: Path) -> None:
        self.file = file

    def run(self) -> None:
        self.say("Last login: Sat Nov 28 2026\nWatch out: not a prompt>x")
        while True:
            self.write(self.prompt())
            self.answer(self.read_line())

    def prompt(self) -> str:
        raise NotImplementedError

    def answer(self, line: str) -> None:
        raise NotImplementedError

    def write(self, text: str) -> None:
        os.write(1, text.replace("\n", "\r\n").encode())

    def say(self, text: str) -> None:
        lines = text.splitlines()
        for at, line in enumerate(lines):
            if self.pages and at and at % _PAGE == 0:
                self.write(_MORE)
                os.read(0, 1)
                self.write("\r" + " " * len(_MORE) + "\r")
            self.write(f"{line}\n")

    def read_line(self, *, echo: bool = True) -> str:
        line = ""
        while True:
            key = os.read(0, 1).decode()
            if not key:
                sys.exit()
            if key in "\r\n":
                self.write("\n")
                return line
            if key == "\x03":
                self.write("^C\n")
                return ""
            line += key
            if echo:
                self.write(key)

    def kept(self) -> list[str]:
        return list(json.loads(self.file.read_text()))

    def keep(self, lines: list[str]) -> None:
        self.file.write_text(json.dumps(lines))


class Eos(Device):
    """Sections are ``interface`` and ``router bgp``; a config is kept as lines with their indentation."""

    mode = ">"
    section = ""
    sections = {r"interface Ethernet(\d+)": "config-if-Et{}", r"router bgp \d+": "config-router-bgp"}
    inside = r"(no )?(description .+|ip address \S+/\d+|shutdown|router-id \S+|neighbor \S+ remote-as \d+)"

    def prompt(self) -> str:
        if self.mode != "config":
            return f"s1{self.mode}"
        for pattern, shown in self.sections.items():
            if found := re.fullmatch(pattern, self.section):
                return f"s1({shown.format(*found.groups())})#"
        return "s1(config)#"

    def answer(self, line: str) -> None:
        words = " ".join(line.split())
        if words.startswith("terminal length"):
            self.pages = not words.endswith(" 0")
            self.say("Pagination disabled.")
        elif words in {"", "!"} or words.startswith("terminal width") or self.changes_mode(words):
            return
        elif words.startswith("show "):
            self.show(words)
        elif self.mode == "config":
            self.configure(words)
        elif words.startswith("clear "):
            self.say("% Invalid input (privileged mode required)" if self.mode == ">" else "cleared")
        elif words.startswith("ping "):
            self.say("5 packets transmitted, 5 received, 0% packet loss")
        else:
            self.say("% Invalid input")

    def changes_mode(self, words: str) -> bool:
        if words == "enable" and self.mode == ">":
            self.write("Password: ")
            if self.read_line(echo=False) == SECRET:
                self.mode = "#"
            else:
                self.say("% Bad secret")
            return True
        after = {("disable", "#"): ">", ("configure terminal", "#"): "config", ("end", "config"): "#"}
        if (words, self.mode) not in after:
            return False
        self.mode, self.section = after[words, self.mode], ""
        return True

    def show(self, words: str) -> None:
        if words == "show running-config" and self.mode != ">":
            self.say(
                "\n".join(
                    ["! Command: show running-config", "! device: s1 (vEOS, EOS-4.23.0.1F)", "!", *self.kept(), "end"]
                )
            )
        elif words == "show version":
            self.say("vEOS\nHardware version:    \n\nSoftware image version: 4.23.0.1F\nArchitecture:           i686")
        elif found := re.fullmatch(r"show ip route (\S+) \| json", words):
            via = {"interface": "Ethernet1", "nexthopAddr": "10.0.0.2"}
            entry = {"routeType": "static", "routeAction": "forward", "preference": 1, "metric": 0, "vias": [via]}
            routes = {found[1]: entry} if found[1] == "192.0.2.0/24" else {}
            self.say(json.dumps({"vrfs": {"default": {"routes": routes}}}, indent=4))
        else:
            self.say(
                "% Incomplete command"
                if words == "show"
                else "VRF: default\n C        10.0.0.0/24 is directly connected"
            )

    def configure(self, words: str) -> None:
        kept = self.kept()
        if words == "banner login":
            self.say("Enter TEXT message. Type 'EOF' on its own line to end.")
            text = [words]
            while text[-1] != "EOF":
                text.append(self.read_line())
            self.keep([*kept, *text])
        elif any(re.fullmatch(pattern, words) for pattern in self.sections):
            self.section = words
            if words not in kept:
                self.keep([*kept, words])
        elif words == "exit":
            self.section = ""
        elif words.removeprefix("no ") in kept and words.startswith("no router "):
            at = kept.index(words.removeprefix("no "))
            end = next((one for one in range(at + 1, len(kept)) if not kept[one].startswith(" ")), len(kept))
            self.keep([*kept[:at], *kept[end:]])
            self.section = ""
        elif self.section and re.fullmatch(self.inside, words):
            at = kept.index(self.section) + 1
            old = words.removeprefix("no ")
            kept = [one for one in kept if one.strip() != old]
            self.keep(kept if words.startswith("no ") else [*kept[:at], f"   {words}", *kept[at:]])
        elif found := re.fullmatch(r"(no )?(hostname \S+|ip routing|ip route \S+ \S+)", words):
            kept = [one for one in kept if one != found[2]]
            self.keep(kept if found[1] else [*kept, found[2]])
            self.section = ""
        else:
            self.say("% Invalid input")


class PrivilegedEos(Eos):
    """A device whose login is in privileged mode at once."""

    mode = "#"


class Junos(Device):
    """The config is kept as ``set`` lines, and shown so."""

    candidate: list[str] | None = None
    section = ""
    statement = (
        r"system login message \"[^\"]*\"|"
        r"(interfaces \S+ unit \d+ family inet address \S+|system host-name \S+|routing-options .+|protocols .+)"
    )

    def prompt(self) -> str:
        return "\nadmin@r1> " if self.candidate is None else f"\n[edit{self.section}]\nadmin@r1# "

    def answer(self, line: str) -> None:
        words = re.sub(r'("[^"]*")|\s+', lambda found: found[1] or " ", line.strip())
        if words.startswith("set cli "):
            self.pages = self.pages and words != "set cli screen-length 0"
            self.say(f"{words.split()[2].capitalize()} set")
        elif words == "":
            return
        elif self.candidate is not None:
            self.configure(words)
        elif words == "configure exclusive" and LOCKED in self.kept():
            self.say("error: configuration database locked by:\n  other terminal p0 (pid 7) on since 2026-11-29")
        elif words == "configure exclusive":
            self.say("warning: uncommitted changes will be discarded on exit\nEntering configuration mode")
            self.candidate = self.kept()
        elif words.startswith("show "):
            self.show(words)
        elif words.startswith("ping "):
            self.say("5 packets transmitted, 5 packets received, 0% packet loss")
        else:
            self.say("                ^\nunknown command.")

    def show(self, words: str) -> None:
        if words == "show configuration":
            self.say(
                "\n".join(["## Last commit: 2026-11-29 03:00:00 UTC by admin", "version 21.4R1.12;", *self.kept()])
            )
        elif words == "show version":
            self.say("Hostname: r1\nModel: vmx\nJunos: 21.4R1.12\nJUNOS OS Kernel 64-bit")
        elif found := re.fullmatch(r"show route (\S+) exact active-path \| display json", words):
            self.say(json.dumps(self.routes(found[1]), indent=4))
        elif words.startswith("show route"):
            self.say(
                "inet.0: 1 destinations\n\n10.0.0.0/24  *[Direct/0] 1w2d 03:04:05\n              >  via ge-0/0/0.0"
            )
        else:
            self.say("syntax error, expecting <command>.")

    def routes(self, prefix: str) -> dict:
        def word(text: str) -> list[dict]:
            return [{"data": text}]

        nh = [{"selected-next-hop": [{"data": [None]}], "to": word("10.0.0.2"), "via": word("ge-0/0/0.0")}]
        entry = {"active-tag": word("*"), "protocol-name": word("Static"), "preference": word("5"), "nh": nh}
        rows = [{"rt-destination": word(prefix), "rt-entry": [entry]}] if prefix == "192.0.2.0/24" else []
        return {"route-information": [{"route-table": [{"table-name": word("inet.0"), "rt": rows}]}]}

    def configure(self, words: str) -> None:
        assert self.candidate is not None
        verb, _, rest = words.partition(" ")
        if verb in {"edit", "top"}:
            self.section = f" {rest}" if rest else ""
            return
        if verb in {"set", "delete"}:
            rest = f"{self.section.lstrip()} {rest}".strip()
            words = f"{verb} {rest}"
        if verb == "set" and re.fullmatch(self.statement, rest):
            self.candidate = [*(one for one in self.candidate if one != words), words]
        elif verb == "delete" and any(one.startswith(f"set {rest}") for one in self.candidate):
            self.candidate = [one for one in self.candidate if not one.startswith(f"set {rest}")]
        elif verb == "delete":
            self.say("warning: statement not found")
        elif words == "rollback 0":
            self.candidate = self.kept()
            self.say("load complete")
        elif words == "commit":
            self.commit()
        elif words == "exit configuration-mode":
            if self.candidate != self.kept():
                self.write(
                    "The configuration has been changed but not committed\nDiscard uncommitted changes? [yes,no] (yes) "
                )
                self.read_line()
            self.candidate = None
            self.say("Exiting configuration mode")
        else:
            self.say("                    ^\nsyntax error.")

    def commit(self) -> None:
        assert self.candidate is not None
        if any(line.endswith("address 10.0.0.999/24") for line in self.candidate):
            self.say("[edit interfaces]\n  'ge-0/0/0'\n    invalid address\nerror: configuration check-out failed")
        else:
            self.keep(self.candidate)
            self.say("commit complete")


if __name__ == "__main__":
    {"eos": Eos, "eos-privileged": PrivilegedEos, "junos": Junos}[sys.argv[1]](Path(sys.argv[2])).run()
