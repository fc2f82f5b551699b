"""A session at the command line: modes, ``no``, ``default``, ``do``, errors with their marker, ``?``, pipes."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

from pytest_netbench import deadline
from pytest_netbench.platforms.access import SandboxLimits
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section
from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.device.exec import Ask, Exec, Pieces, execute
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Match
from pytest_netbench.platforms.cisco_ios.grammar.grammar import CONFIG, EXEC
from pytest_netbench.platforms.cisco_ios.grammar.reader import Refusal, tokenize
from pytest_netbench.platforms.cisco_ios.session import prompts
from pytest_netbench.platforms.cisco_ios.session.pipes import filtered, split_pipe

_BANNER = re.compile(r"\s*ban(?:n(?:er?)?)?\s+[a-z-]+\s+(\^C|\S)", re.IGNORECASE)
_INVALID = "% Invalid input detected at '^' marker."
LONGEST_LINE = 4096
LONGEST_BANNER = 64 * 1024
READ_ONLY = "% Not here: this command changes the device. Commands that do are sent with update-cfg."
_LIMITS = SandboxLimits()

_CONFIG_NAME = 20
"""Characters of the host name in the prompt of a configuration mode."""


@dataclass(frozen=True)
class Frame:
    """A config mode of the session, and the lines whose sections it edits (several for a range)."""

    mode: str
    entries: tuple[Entry, ...] = ()


class Session:
    """One session. Not thread-safe.

    Args:
        device: The device.
        privileged: Whether it starts in privileged exec mode.
        read_only: Whether commands that change the device are refused.
        booting: Whether it reads the startup config.
        logged: Whether the device logs that it was configured.
        echo: Whether the error marker is aligned with the line after its prompt; otherwise with the bare line.
        limits: Limits of the run time of commands.
    """

    def __init__(
        self,
        device: Device,
        *,
        privileged: bool = True,
        read_only: bool = False,
        booting: bool = False,
        logged: bool = True,
        echo: bool = False,
        limits: SandboxLimits = _LIMITS,
    ) -> None:
        self.device = device
        self.privileged = privileged
        self.terminal_length = 24
        self.terminal_width = 80
        self.enable_secret: str | None = None
        """The password that ``enable`` asks for; ``None`` for none."""
        self.closed = False
        self.refused = False
        """Whether the last line was refused, whatever its output was."""
        self._read_only, self._booting, self._echo, self._limits = read_only, booting, echo, limits
        self._logged = logged and not booting
        self._frames: list[Frame] = []
        self._banner: tuple[str, list[str]] | None = None

    @property
    def mode(self) -> str:
        """The current mode."""
        return self._frames[-1].mode if self._frames else EXEC

    @property
    def collecting(self) -> bool:
        """Whether the lines of a banner are being typed."""
        return self._banner is not None

    @property
    def prompt(self) -> str:
        """The prompt, e.g. ``R1(config-if)#``."""
        if self.collecting:
            return ""
        shown = self._prompt_of_mode()
        name, sign = self.device.hostname, "#" if self.privileged else ">"
        if shown:
            return f"{name[:_CONFIG_NAME]}({shown})#"
        configured = self.device.config.get("prompt")
        return prompts.expanded(str(configured["text"]), name, sign) if configured else f"{name}{sign}"

    def _prompt_of_mode(self) -> str:
        shown = self.device.grammar.mode(self.mode).prompt
        entries = self._frames[-1].entries if self._frames else ()
        if not isinstance(shown, str):
            shown = shown(entries[0])
        return shown + ("-range" if len(entries) > 1 and self.mode != "line" else "")

    def enter(self, line: str) -> str:
        """Type one line; return the device's output without echo and prompt. Questions get their default answer."""
        pieces: list[str] = []
        talk = self.stream(line)
        answer: str | None = None
        while True:
            try:
                piece = next(talk) if answer is None else talk.send(answer)
            except StopIteration:
                return "".join(pieces)
            answer = "" if isinstance(piece, Ask) else None
            pieces.append(piece.prompt + "\n" if isinstance(piece, Ask) else piece)

    def stream(self, line: str) -> Pieces:
        """Type one line; yield the device's output in pieces, and its questions."""
        self.refused = False
        if len(line) > LONGEST_LINE:
            self.refused = True
            yield f"% Line is too long: {len(line)} characters, at most {LONGEST_LINE}\n"
            return
        if self._banner is not None or (self._frames and _BANNER.match(line)):
            whole = self._collect(line)
            if whole is None:
                return
            yield from self._config_line(whole)
        elif not line.strip() or line.lstrip().startswith("!"):
            return
        elif self._frames:
            yield from self._config_line(line)
        else:
            yield from self._exec_line(line)

    # -- config modes ------------------------------------------------------------------------------------------------

    def _config_line(self, line: str) -> Pieces:
        words = line.split()
        first = words[0].lower()
        if len(words) == 1 and first == "end":
            self._leave_all()
        elif len(words) == 1 and self._says_exit(first):
            self._leave()
        elif first in {"do", "do-exec"} and len(words) > 1:
            yield from self._exec_line(line, skip=1)
        else:
            yield self._configure(line, words)

    def _in_family(self) -> bool:
        return any(entry.name == "address-family" for entry in self._frames[-1].entries)

    def _says_exit(self, word: str) -> bool:
        family = len(word) > len("exit") and "exit-address-family".startswith(word) and self._in_family()
        return family or (len(word) > 1 and "exit".startswith(word))

    def _configure(self, line: str, words: list[str]) -> str:
        negated = words[0].lower() == "no"
        reset = (
            len(words[0]) > 2 and "default".startswith(words[0].lower()) and words[0].lower() != "default-information"
        )
        skip = int(negated or reset)
        if skip and len(words) == 1:
            return "% Incomplete command.\n"
        with self.device.lock, deadline.within(self._limits.timeout_s):
            self._forget_removed()
            found, frame = self._read(line, skip)
            if isinstance(found, Refusal) and reset:
                # a command may itself start with the word default
                again, frame = self._read(line, 0)
                found, reset = (again, False) if isinstance(again, Match) else (found, True)
            if isinstance(found, Refusal):
                return self._refused(line, found)
            match = Match(found.known, found.parts, negated=negated, reset=reset, whole=found.whole)
            words_back = self._store(match, frame)
            if words_back == INVALID:
                return self._refused(line, Refusal("invalid", tokenize(line)[-1].column))
            return words_back

    def _read(self, line: str, skip: int) -> tuple[Match | Refusal, Frame]:
        """Read a line in the current mode, else in the modes around it, as IOS does."""
        refusal: Refusal | None = None
        for depth, frame in reversed(list(enumerate(self._frames))):
            found = self.device.grammar.reader(frame.mode, self.device.role).read(line, skip=skip, partial=bool(skip))
            if isinstance(found, Match):
                # a line that opens a section of the same kind belongs beside the current one
                return found, self._frames[depth - 1] if found.command.opens == frame.mode else frame
            # a line whose beginning is valid in the current mode gets the error of that mode
            if refusal is None or (found.depth, found.kind != "invalid") > (refusal.depth, refusal.kind != "invalid"):
                refusal = found
        assert refusal is not None
        return refusal, self._frames[-1]

    def _store(self, match: Match, frame: Frame) -> str:
        opened: list[Entry] = []
        remarks: list[str] = []
        self.device.touch()
        for section in self._sections(frame):
            edit = self.device.edit(section, booting=self._booting)
            words = edit.store(match)
            if words is not None:
                self.refused = True
                return words if words == INVALID else words.rstrip("\n") + "\n"
            opened += edit.opened
            remarks += edit.remarks
        while self._frames[-1] is not frame:
            self._frames.pop()
        if match.command.opens and not match.negated and not match.reset:
            self._frames.append(Frame(match.command.opens, tuple(opened)))
        return "".join(f"{remark}\n" for remark in remarks)

    def _sections(self, frame: Frame) -> list[Section]:
        return [entry.body for entry in frame.entries] if frame.entries else [self.device.config]

    def _forget_removed(self) -> None:
        """Leave sections that another line or another session has removed."""
        while (
            self._frames
            and self._frames[-1].entries
            and not all(_lives(e, self.device.config) for e in self._frames[-1].entries)
        ):
            self._frames.pop()
        if not self._frames:
            self._frames.append(Frame(CONFIG))

    def _leave(self) -> None:
        if len(self._frames) > 1:
            self._frames.pop()
        else:
            self._leave_all()

    def _leave_all(self) -> None:
        self._frames.clear()
        self.device.configured(log=self._logged)

    def interrupt(self) -> None:
        """Return to exec mode from a config mode (Ctrl-Z, Ctrl-C)."""
        self._banner = None
        if self._frames:
            self._leave_all()

    def _collect(self, line: str) -> str | None:
        """Return the whole banner when its closing delimiter has been typed, else ``None``."""
        if self._banner is None:
            opening = _BANNER.match(line)
            assert opening is not None
            delimiter = opening[1]
            if delimiter in line[opening.end() :]:
                return line[: line.index(delimiter, opening.end()) + len(delimiter)]
            self._banner = (delimiter, [line])
            return None
        delimiter, lines = self._banner
        if delimiter not in line and line.strip() != "^C":
            if sum(map(len, lines)) + len(line) < LONGEST_BANNER:
                lines.append(line)
            return None
        end = line.find(delimiter)
        lines.append(line[: end + len(delimiter)] if end >= 0 else delimiter)
        self._banner = None
        return "\n".join(lines)

    # -- exec mode -----------------------------------------------------------------------------------------------------

    def _exec_line(self, line: str, *, skip: int = 0) -> Pieces:
        body, pipe = split_pipe(line)
        found = self.device.grammar.reader(EXEC, self.device.role, user=not self.privileged).read(body, skip=skip)
        if isinstance(found, Refusal):
            yield self._refused(line, found)
            return
        command = found.command
        if pipe is not None and command.changes:
            yield self._refused(line, Refusal("invalid", line.index("|", len(body.rstrip()))))
            return
        if command.run is None:
            yield from self._built_in(found)
            return
        if command.changes and self._read_only:
            yield READ_ONLY + "\n"
            return
        with deadline.within(self._limits.timeout_s):
            output = execute(Exec(device=self.device, session=self, limits=self._limits), found)
        if pipe is None:
            yield from _pieces(output)
        else:
            text = "".join(piece for piece in _pieces(output) if isinstance(piece, str))
            yield filtered(text, pipe)

    def _built_in(self, match: Match) -> Pieces:
        """Run a command that changes the session itself."""
        name = match.name
        if name == "configure terminal":
            if self._read_only:
                yield READ_ONLY + "\n"
            elif self._frames:
                self._frames = [Frame(CONFIG)]
            else:
                self._frames.append(Frame(CONFIG))
                if self._echo:
                    yield "Enter configuration commands, one per line.  End with CNTL/Z.\n"
        elif name in {"exit", "logout", "quit"}:
            self.closed = True
        elif name == "disable":
            self.privileged = False
        else:
            raise AssertionError(f"exec command {name!r} has nothing to run")

    # -- help and errors ---------------------------------------------------------------------------------------------

    def _refused(self, line: str, refusal: Refusal) -> str:
        self.refused = True
        if refusal.kind == "ambiguous":
            return f'% Ambiguous command:  "{line.strip()}"\n'
        if refusal.kind == "incomplete":
            return "% Incomplete command.\n\n" if self._echo else "% Incomplete command.\n"
        column = refusal.column + (len(self.prompt) if self._echo else 0)
        return f"{' ' * column}^\n{_INVALID}\n\n" if self._echo else f"{' ' * column}^\n{_INVALID}\n"

    def help(self, line: str) -> str:
        """Return the output of ``?`` after ``line``."""
        offers = self._offers(line)
        if isinstance(offers, Refusal):
            if offers.kind == "ambiguous":
                return f'% Ambiguous command:  "{line.strip()}"\n'
            return "% Unrecognized command\n"
        if not offers:
            return "% Unrecognized command\n"
        if line and not line[-1].isspace():
            return "  ".join(word for word, _ in offers) + "\n"
        width = max(len(word) for word, _ in offers)
        return "".join(f"  {word:<{width}}  {meaning}".rstrip() + "\n" for word, meaning in offers) + "\n"

    def complete(self, line: str) -> str | None:
        """Return ``line`` with its last word completed, or ``None`` if the completion is not unique."""
        if not line or line[-1].isspace():
            return None
        offers = self._offers(line)
        if isinstance(offers, Refusal) or len(offers) != 1:
            return None
        return line[: tokenize(line)[-1].column] + offers[0][0] + " "

    def _offers(self, line: str) -> list[tuple[str, str]] | Refusal:
        words = tokenize(line)
        typing = bool(line) and not line[-1].isspace()
        first = words[0].text.lower() if words else ""
        skip, modes = 0, [frame.mode for frame in reversed(self._frames)][:1]
        if self._frames and first in {"no", "default"} and (len(words) > 1 or not typing):
            skip = 1
        elif self._frames and first == "do" and (len(words) > 1 or not typing):
            skip, modes = 1, []
        mode = modes[0] if modes else EXEC
        reader = self.device.grammar.reader(mode, self.device.role, user=mode == EXEC and not self.privileged)
        offers = reader.help(line, skip=skip)
        if mode != EXEC and isinstance(offers, list) and not skip and (not words or (len(words) == 1 and typing)):
            extra = [
                ("default", "Set a command to its defaults"),
                ("do", "To run exec commands in config mode"),
                ("end", "Exit from configure mode"),
                ("exit", "Exit from the present mode"),
                ("no", "Negate a command or set its defaults"),
            ]
            offers = sorted([*offers, *((word, text) for word, text in extra if word.startswith(first))])
        return offers


def _lives(entry: Entry, config: Section) -> bool:
    section: Section | None = entry.section
    while section is not None:
        if entry not in section.entries:
            return False
        if section is config:
            return True
        parent = section.parent
        if parent is None:
            return False
        entry, section = parent, parent.section
    return False


def _pieces(output: Any) -> Pieces:
    """Return output as pieces: a command returns a text or yields pieces."""
    if output is None:
        return
    if isinstance(output, str):
        if output:
            yield output if output.endswith("\n") else output + "\n"
        return
    if isinstance(output, Generator):
        yield from output
        return
    assert isinstance(output, Iterator)
    yield from output
