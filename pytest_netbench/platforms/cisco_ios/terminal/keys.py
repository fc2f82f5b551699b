"""Keys of a terminal, read one at a time; escape sequences are one key."""

from __future__ import annotations

from pytest_netbench.platforms.terminal import Terminal

ENTER = "\r"
# the characters after ESC, with the equivalent control key
_SEQUENCES = {
    "[A": "\x10",
    "[B": "\x0e",
    "[C": "\x06",
    "[D": "\x02",
    "[H": "\x01",
    "[F": "\x05",
    "[1~": "\x01",
    "[4~": "\x05",
    "[3~": "\x04",
    "OA": "\x10",
    "OB": "\x0e",
    "OC": "\x06",
    "OD": "\x02",
    "OH": "\x01",
    "OF": "\x05",
}
_ESCAPE = "\x1b"
_INTERRUPTS = "\x03\x1e"


class Keys:
    """The keyboard of a terminal."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._ahead = ""
        self._skip_newline = False

    @property
    def line_waiting(self) -> bool:
        """Whether another line has started to arrive: lines are being pasted."""
        return bool(self._ahead) or self._terminal.waiting

    def next(self) -> str:
        r"""Return the next key; Enter is always ``ENTER``. An unknown ``ESC x`` is ``"\x1bx"``.

        Raises:
            EOFError: The input has ended.
        """
        key = self._next_raw()
        if key == _ESCAPE:
            return self._sequence()
        return key

    def run(self) -> str:
        """Return the printable characters that are waiting, up to the first other key; may be empty."""
        count = next(
            (at for at, char in enumerate(self._ahead) if not char.isprintable() or char == "?"), len(self._ahead)
        )
        taken, self._ahead = self._ahead[:count], self._ahead[count:]
        return taken

    def interrupted(self) -> bool:
        """Whether Ctrl-C or Ctrl-Shift-6 was pressed meanwhile; earlier input is discarded."""
        if self._terminal.waiting:
            self._ahead += self._terminal.read(timeout_s=0)
        at = max(self._ahead.rfind(key) for key in _INTERRUPTS)
        self._ahead = self._ahead[at + 1 :]
        return at >= 0

    def _next_raw(self) -> str:
        while True:
            while not self._ahead:
                self._ahead = self._terminal.read()
            key, self._ahead = self._ahead[0], self._ahead[1:]
            follows, self._skip_newline = self._skip_newline, key == "\r"
            if key == "\n":
                if follows:  # the second half of CR LF
                    continue
                return ENTER
            if key != "\0":
                return key

    def _sequence(self) -> str:
        sequence = self._next_raw()
        if sequence in "[O":
            sequence += self._next_raw()
            while sequence[-1].isdigit() or sequence[-1] == ";":
                sequence += self._next_raw()
        return _SEQUENCES.get(sequence, _ESCAPE + sequence)
