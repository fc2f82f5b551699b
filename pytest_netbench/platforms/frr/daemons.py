"""The FRR daemons, their location, and which of them a config line needs."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path

DIRECTORIES = (Path("/usr/lib/frr"), Path("/usr/libexec/frr"))
INSTALL_COMMAND = "sudo apt-get install -y --no-install-recommends frr"

# Words that open a daemon's config; "*" stands for any one word.
_OPENERS: dict[str, tuple[str, ...]] = {
    "staticd": ("ip route", "ipv6 route"),
    "ospfd": ("router ospf", "ip ospf"),
    "ospf6d": ("router ospf6", "ipv6 ospf6"),
    "bgpd": (
        "router bgp",
        "bgp as-path",
        "bgp community-list",
        "bgp extcommunity-list",
        "bgp large-community-list",
        "rpki",
    ),
    "ripd": ("router rip", "ip rip"),
    "ripngd": ("router ripng", "ipv6 ripng"),
    "isisd": ("router isis", "ip router isis", "ipv6 router isis", "isis"),
    "fabricd": ("router openfabric", "ip router openfabric", "ipv6 router openfabric", "openfabric"),
    "eigrpd": ("router eigrp", "ip * eigrp"),
    "babeld": ("router babel", "babel"),
    "bfdd": ("bfd", "neighbor * bfd", "ip ospf bfd", "ipv6 ospf6 bfd", "isis bfd"),
    "ldpd": ("mpls ldp",),
    "nhrpd": ("ip nhrp", "ipv6 nhrp"),
    "pimd": ("ip pim", "ip igmp", "ip msdp", "ip multicast", "ip mroute", "router pim"),
    "pim6d": ("ipv6 pim", "ipv6 mld", "router pim6"),
    "pbrd": ("pbr-map", "pbr-policy", "nexthop-group"),
    "vrrpd": ("vrrp",),
    "pathd": ("segment-routing",),
}

RPKI = "rpki"
"""The module of bgpd that validates the origins of routes, and the word that opens its config."""

_OPENER_WORDS = [(name, opener.split()) for name, openers in _OPENERS.items() for opener in openers]
_LONGEST = max(len(opener) for _, opener in _OPENER_WORDS)


@cache
def directory() -> Path | None:
    """The directory of FRR's daemons, or ``None`` if FRR is not installed."""
    return next((path for path in DIRECTORIES if (path / "zebra").exists()), None)


@cache
def version() -> str | None:
    """FRR's version, e.g. ``"8.4.4"``, or ``None``."""
    home = directory()
    if home is None:
        return None
    try:
        done = subprocess.run([home / "zebra", "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_version(done.stdout)


def parse_version(text: str) -> str | None:
    """The version in what ``zebra --version`` prints."""
    words = text.split("\n", 1)[0].split()
    return words[2] if len(words) >= 3 and words[:2] == ["zebra", "version"] else None


def installed() -> tuple[str, ...]:
    """Daemons that lie in FRR's directory."""
    home = directory()
    return () if home is None else known(path.name for path in home.iterdir())


def known(names: Iterable[str]) -> tuple[str, ...]:
    """The daemons among some names of files."""
    present = set(names)
    return tuple(name for name in ("mgmtd", "zebra", *_OPENERS) if name in present)


def options_for(lines: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """By daemon: the options that a config needs it to be started with, if they are possible here."""
    return {"bgpd": ("-M", RPKI)} if any(line.split() == [RPKI] for line in lines) and has_rpki() else {}


@cache
def has_rpki() -> bool:
    """Whether bgpd can load its module for RPKI, tried. It ends before it does anything else."""
    home = directory()
    if home is None:
        return False
    # no such group ends it once its modules are there
    argv = [str(home / "bgpd"), "-M", RPKI, "-C", "-f", "/dev/null", "-u", "root", "-g", "no-group"]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return "loader error" not in done.stderr


def always(available: Iterable[str]) -> tuple[str, ...]:
    """Daemons every router runs. Since FRR 10 others are configured through mgmtd."""
    present = set(available)
    return tuple(name for name in ("mgmtd", "zebra") if name in present)


def parse_enabled(text: str) -> frozenset[str]:
    """Daemons that an ``/etc/frr/daemons`` file says are run."""
    return frozenset(line.removesuffix("=yes") for line in text.split() if line.endswith("=yes"))


def format_enabled(names: Iterable[str]) -> str:
    """The text of an ``/etc/frr/daemons`` file that runs ``names``."""
    return "".join(f"{name}=yes\n" for name in sorted(names))


def needed_by(lines: Iterable[str]) -> set[str]:
    """Daemons, beside those every router runs, that these config lines speak to."""
    found: set[str] = set()
    for line in lines:
        words = line.lower().split()
        while words and words[0] == "no":
            words = words[1:]
        if words and words[0][0] not in "!#":
            found |= _needed_by_words(tuple(words[:_LONGEST]))
    return found


@lru_cache(4096)  # configs repeat their lines, and to compare one with all openers takes as long as to send it
def _needed_by_words(words: tuple[str, ...]) -> frozenset[str]:
    exact = frozenset(name for name, opener in _OPENER_WORDS if _opens(words, opener, exact=True))
    if exact:
        return exact
    # "router o" is a device's to refuse, but "rou bgp 65001" is good vtysh; a daemon too many does no harm
    return frozenset(name for name, opener in _OPENER_WORDS if _opens(words, opener, exact=False))


def _opens(words: Sequence[str], opener: Sequence[str], *, exact: bool) -> bool:
    if len(words) < len(opener):
        return False
    if exact:
        return all(known in {"*", word} for word, known in zip(words, opener, strict=False))
    return all(
        known == "*" or (len(word) > 1 and known.startswith(word)) for word, known in zip(words, opener, strict=False)
    )
