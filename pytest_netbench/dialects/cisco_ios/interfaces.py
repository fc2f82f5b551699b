"""Interface names of IOS: full names, their abbreviations, and the names the kernel can carry."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TYPES = (
    "Async",
    "BDI",
    "BVI",
    "Dialer",
    "Ethernet",
    "FastEthernet",
    "FortyGigabitEthernet",
    "GigabitEthernet",
    "HundredGigE",
    "Loopback",
    "Null",
    "Port-channel",
    "Serial",
    "TenGigabitEthernet",
    "Tunnel",
    "TwentyFiveGigE",
    "Vlan",
)
_CODES = {
    "Async": "as",
    "BDI": "bd",
    "BVI": "bv",
    "Dialer": "di",
    "Ethernet": "et",
    "FastEthernet": "fa",
    "FortyGigabitEthernet": "fo",
    "GigabitEthernet": "gi",
    "HundredGigE": "hu",
    "Loopback": "lo",
    "Null": "nu",
    "Port-channel": "po",
    "Serial": "se",
    "TenGigabitEthernet": "te",
    "Tunnel": "tu",
    "TwentyFiveGigE": "tw",
    "Vlan": "vl",
}
_BY_CODE = {code: name for name, code in _CODES.items()}
_VIRTUAL = frozenset({"BDI", "BVI", "Dialer", "Loopback", "Null", "Port-channel", "Tunnel", "Vlan"})
# the order in which a running config lists them
_ORDER = {
    name: rank
    for rank, name in enumerate(("Loopback", "Port-channel", "Tunnel", *sorted(set(_TYPES) - _VIRTUAL), "BDI", "Vlan"))
}
_NAME = re.compile(r"([A-Za-z][A-Za-z-]*?)\s*(\d+(?:/\d+){0,3})(?:\.(\d+))?")
_KERNEL = re.compile(r"([a-z]{2})(\d+(?:-\d+){0,3})(?:\.(\d+))?")
_MOST_KERNEL_CHARACTERS = 15


@dataclass(frozen=True, order=False)
class InterfaceName:
    """A parsed interface name: ``GigabitEthernet``, ``0/1``, subinterface 10 or ``None``."""

    kind: str
    number: str
    sub: int | None = None

    def __str__(self) -> str:
        return f"{self.kind}{self.number}" + ("" if self.sub is None else f".{self.sub}")

    @property
    def kernel(self) -> str:
        """The kernel's name, e.g. ``gi0-1.10``."""
        return f"{_CODES[self.kind]}{self.number.replace('/', '-')}" + ("" if self.sub is None else f".{self.sub}")

    @property
    def short(self) -> str:
        """The abbreviation in narrow tables, e.g. ``Gi0/1``."""
        return f"{self.kind[:2]}{self.number}" + ("" if self.sub is None else f".{self.sub}")

    @property
    def parent(self) -> InterfaceName:
        """The parent interface of a subinterface; for any other, itself."""
        return InterfaceName(self.kind, self.number)

    @property
    def is_virtual(self) -> bool:
        """Whether it is created and removed by commands; no cable can end in it."""
        return self.kind in _VIRTUAL or self.sub is not None

    @property
    def sort_key(self) -> tuple[int, tuple[int, ...], int]:
        """The place in a running config."""
        return (
            _ORDER.get(self.kind, 99),
            tuple(int(n) for n in self.number.split("/")),
            -1 if self.sub is None else self.sub,
        )


def parse(text: str) -> InterfaceName:
    """Return the interface that ``text`` names, in full or abbreviated: ``gi0/1``, ``Gig 0/1``, ``s0/0/0.5``.

    Raises:
        ValueError: The text is not an interface name, or the abbreviation is ambiguous.
    """
    found = _NAME.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            f"{text!r} is no interface name of this platform (such as GigabitEthernet0/0, Serial0/0/0, Loopback0)"
        )
    word, number, sub = found.groups()
    kinds = types_of(word)
    if len(kinds) != 1:
        known = ", ".join(kinds or _TYPES)
        raise ValueError(f"{text!r}: {'ambiguous' if kinds else 'unknown'} interface type {word!r} (known: {known})")
    parts = "/".join(str(int(part)) for part in number.split("/"))
    return InterfaceName(kinds[0], parts, None if sub is None else int(sub))


def types_of(word: str) -> list[str]:
    """Return interface types that ``word`` may abbreviate.

    Exact abbreviations take precedence: ``e`` is Ethernet and ``te`` is TenGigabit.
    """
    lower = word.lower()
    exact = [name for name in _TYPES if name.lower() == lower]
    return exact or [name for name in _TYPES if name.lower().startswith(lower)]


def canonical(text: str) -> str:
    """Return the full name of the interface that ``text`` names.

    Raises:
        ValueError: As ``parse``.
    """
    return str(parse(text))


def kernel_name(text: str) -> str:
    """Return the kernel's name of an interface.

    Raises:
        ValueError: As ``parse``, or it is too long for the kernel.
    """
    name = parse(text).kernel
    if len(name) > _MOST_KERNEL_CHARACTERS:
        raise ValueError(
            f"{text!r}: the kernel has no room for {name!r} (at most {_MOST_KERNEL_CHARACTERS} characters)"
        )
    return name


def from_kernel(name: str) -> str | None:
    """Return the full name of a kernel interface, or ``None`` if it is not an interface of IOS."""
    found = _KERNEL.fullmatch(name)
    if found is None or found[1] not in _BY_CODE:
        return None
    return str(
        InterfaceName(_BY_CODE[found[1]], found[2].replace("-", "/"), None if found[3] is None else int(found[3]))
    )


TYPES = _TYPES
