"""Interface names the Linux kernel can give."""

from __future__ import annotations

_LONGEST = 15


def linux_interface(name: str) -> str:
    """``name`` itself, if it can be an interface of a Linux kernel.

    Raises:
        ValueError: It cannot.
    """
    if not name or len(name) > _LONGEST or "/" in name or any(char.isspace() for char in name) or name in {".", ".."}:
        raise ValueError(
            f"{name!r} cannot be an interface of a Linux kernel (1 to {_LONGEST} characters, no '/', no white space)"
        )
    return name
