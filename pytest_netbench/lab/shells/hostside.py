"""What is typed to a host: the script that takes requests there, and text in a form that passes any terminal line."""

from __future__ import annotations

import hashlib
import re
import secrets
from pathlib import Path

PIECE_BYTES = 49_152
"""How many bytes of a file one answer carries; the script says the same."""
_SCRIPT = Path(__file__).with_name("hostside.sh")
_PLACES = '/tmp /run /dev/shm /var/tmp "$HOME"'  # noqa: S108 - the folder is made for one user, and must not be there already
_TYPED_CHARACTERS = 200  # an editing shell of busybox takes 1,024 in a line, its echo is slow
_LINE_CHARACTERS = 1500  # a terminal line takes 4,095
_KERNEL = re.compile(rb"\[ *\d+\.\d{6}\][^\n]*\n")


def pieces(data: bytes, most: int = _LINE_CHARACTERS) -> list[str]:
    r"""``data`` as printable ASCII for ``printf %b``, at most about ``most`` characters in each piece.

    What is special to ``printf``, to a quoted word or to a terminal is written as ``\0OOO``.
    """
    found, piece = [], ""
    for byte in data:
        piece += chr(byte) if 32 <= byte < 127 and byte not in b"\\'!" else f"\\0{byte:03o}"
        if len(piece) >= most:
            found.append(piece)
            piece = ""
    return [*found, piece] if piece else found


def number() -> str:
    """A number of a request that no output can foresee."""
    return secrets.token_hex(8)


def opening(hello: str) -> list[tuple[str, str]]:
    """The lines that start the script at the prompt of a shell, each with what is printed when it is done.

    No line contains what it prints, so that an echo is not taken for it. ``hello`` is the number of the first answer.
    """
    steps = [
        " unset HISTFILE",
        f" for b in {_PLACES}; do D=$b/netbench-{number()}; mkdir -m 700 $D 2>/dev/null && break; done",
    ]
    steps += [f" printf %b '{piece}' >>$D/l" for piece in pieces(_text(), _TYPED_CHARACTERS)]
    typed = []
    for step in steps:
        mark = number()
        typed.append((f"{step}; printf '@%s;\\n' {mark}", f"@{mark};"))
    return [*typed, (f" sh $D/l $D {hello}", "")]


def _text() -> bytes:
    lines = _SCRIPT.read_text("ascii").splitlines()
    return "".join(f"{line}\n" for line in lines if not line.startswith("#")).encode()


def without_noise(heard: bytes) -> bytes:
    """What came over a line, without what the host's kernel says in between, and without line ends."""
    return _KERNEL.sub(b"", heard).replace(b"\r", b"").replace(b"\n", b"")


class Damaged(Exception):
    """A frame that something else was printed into."""


def body(heard: bytes, expected: str) -> str | None:
    """The body of the frame with the number ``expected``; ``None`` while it has not come.

    Raises:
        Damaged: It came, and is not what the host sent.
    """
    text = without_noise(heard)
    start = text.find(f"@{expected}:".encode())
    end = text.find(b";", start)
    if start < 0 or end < 0:
        return None
    inner, _, digest = text[start + len(expected) + 2 : end].rpartition(b":")
    if digest not in (b"-", hashlib.md5(inner, usedforsecurity=False).hexdigest().encode()):
        raise Damaged
    return inner.decode("ascii", "replace")
