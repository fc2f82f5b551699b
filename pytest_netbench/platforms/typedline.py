"""The line that stands behind a prompt: from the keys that were typed, or from the screen."""

from __future__ import annotations

import re
import threading
import time

from pytest_netbench.catching import Caught

_TAIL = 16_384
_ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|.)|[\x00-\x08\x0b-\x1f]")
_ROWS = 50
_QUIET_S = 0.1
_PATIENCE_S = 2.0


class TypedLine:
    """The line as simple keys make it; after others (history, cursor, completion) only the screen knows it.

    Args:
        help_keys: Printable keys that the program answers at once, and that do not become part of the line.
    """

    def __init__(self, help_keys: str = "") -> None:
        self._help_keys = help_keys
        self.text = ""
        self.certain = True
        """Whether ``text`` is the line."""
        self.plain = True
        """Whether nothing was erased either: then the program has this very line, however hastily it was typed."""

    def type(self, keys: str) -> None:
        for key in keys:
            if key.isprintable():
                self.text += "" if key in self._help_keys else key
            elif key in "\x7f\x08":
                self.text, self.plain = self.text[:-1], False
            elif key == "\x03":
                self.text, self.certain, self.plain = "", True, False
            elif key == "\x15":  # behind the cursor it erases nothing
                self.text, self.plain = "", False
            else:
                self.certain = self.plain = False


class Screen:
    """What the program has shown last."""

    def __init__(self) -> None:
        self._tail = ""
        self._news = threading.Condition()

    def show(self, text: str) -> None:
        with self._news:
            self._tail = (self._tail + text)[-_TAIL:]
            self._news.notify_all()

    @property
    def line(self) -> str:
        """The last line, without control sequences; exact as long as the cursor only moved on."""
        last = self._tail.rpartition("\n")[2]
        return _ESCAPES.sub("", last.rpartition("\r")[2] or last)

    def behind(self, prompt: re.Pattern[str], *, columns: int) -> tuple[str, str] | None:
        """Return the prompt and what stands behind it, over several rows if need be; ``None`` if no prompt is seen."""
        import pyte  # only who edits a line needs it

        self._settle()
        screen = pyte.Screen(columns, _ROWS)
        with Caught(Exception) as caught:  # pyte knows not every sequence that a program may show
            pyte.Stream(screen).feed(self._tail)
        if caught.error is not None:
            return None
        rows = screen.display
        start = screen.cursor.y
        while (found := prompt.match(rows[start])) is None:
            if start == 0 or rows[start - 1][-1] == " ":  # the row above does not go on here
                return None
            start -= 1
        return found.group(), "".join(rows[start:])[found.end() :].rstrip()

    def _settle(self) -> None:
        """Wait until nothing new is shown. No event tells that a program has worked off the keys it was given."""
        deadline = time.monotonic() + _PATIENCE_S
        with self._news:
            while self._news.wait(_QUIET_S) and time.monotonic() < deadline:
                pass
