"""How FRR and IOS write the same things differently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from pytest_netbench.dialects.forms import forms_of
from pytest_netbench.dialects.syntax import syntax_of
from pytest_netbench.model.network import DrawnNetwork


def with_wildcard(platform: str, prefix: str) -> str:
    """Return a prefix as in OSPF's ``network``: ``10.0.0.0/24`` in FRR, ``10.0.0.0 0.0.0.255`` in IOS."""
    return forms_of(platform).wildcard(prefix)


@lru_cache(4096)  # of each subnet of a network for each of its routers
def with_mask(platform: str, prefix: str, *, word: str = "") -> str:
    """Return a prefix with its mask: ``10.0.0.0/24`` in FRR, ``10.0.0.0 255.255.255.0`` in IOS.

    Args:
        platform: Whose language it is.
        prefix: The prefix.
        word: What stands before the mask in IOS, e.g. ``mask ``.
    """
    return forms_of(platform).mask(prefix, word=word)


def announcing(platform: str, prefix: str) -> str:
    """Return the line by which a router announces a prefix by BGP."""
    return f"network {with_mask(platform, prefix, word='mask ')}"


def below(section: str, *lines: str) -> tuple[str, ...]:
    """Return the line that opens a section, and lines of the section."""
    return (section, *(f" {line}" for line in lines))


def in_family(platform: str, process: str, *lines: str) -> tuple[str, ...]:
    """Return lines of a BGP process's IPv4 address family, with those that open it. IOS has them in the process."""
    opened = (process, *forms_of(platform).bgp_family)
    return tuple(f"{' ' * min(depth, len(opened))}{line}" for depth, line in enumerate((*opened, *lines)))


def opening(network: DrawnNetwork, node: str, beginning: str) -> str | None:
    """Return the line of a startup config that opens the section of ``beginning``, e.g. ``router ospf 1``."""
    lines = network.startup_configs.get(node, "").splitlines()
    return next((line for line in lines if f"{line} ".startswith(f"{beginning} ")), None)


def behind(
    network: DrawnNetwork, node: str, line: str | None, *, like: str, section: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Return the lines of a section of a startup config that begin with ``like`` and stand behind ``line``.

    Where the running config does not depend on the order of typing, there are none.

    Args:
        network: The network.
        node: Whose config it is.
        line: A line of the section; ``None`` for all lines of the section.
        like: What they begin with.
        section: The lines that open the section; none for global lines.
    """
    platform = network.platform_of(node)
    if not forms_of(platform).keeps_order:
        return ()
    paths = syntax_of(platform).paths(network.startup_configs.get(node, ""))
    lines = [path[-1] for path in paths if path[:-1] == section]
    after = lines[lines.index(line) + 1 :] if line is not None else lines
    return tuple(one for one in after if one.startswith(f"{like} "))


def order_of(platform: str, node: str, section: str) -> frozenset[str]:
    """Return what a fault touches that types lines of a section again: their order, where it is kept."""
    return frozenset({f"{node} order of {section}"} if forms_of(platform).keeps_order else ())


def retyped(platform: str, lines: Iterable[str]) -> Iterator[str]:
    """Commands that put lines behind the one typed before them, so that its place does not tell that it is new."""
    syntax = syntax_of(platform)
    for line in lines:
        yield from syntax.negate((line,))
        yield line
