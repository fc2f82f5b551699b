"""The nftables ruleset of a state: replaced as a whole in one transaction; named counters keep their values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.apply import vrf
from pytest_netbench.platforms.cisco_ios.apply.ruleset import SIZES, TABLE, Members, Values, families, pieces, text
from pytest_netbench.platforms.cisco_ios.compile.state import NftState

_TOO_LONG = "Message too long"


def apply(node: vrf.Network, old: NftState, new: NftState) -> list[str]:
    """Load the new ruleset if it differs from the old one."""
    before, after = text(old, {}), text(new, {})
    if before == after:
        return []
    kept = {
        (family, name)
        for family, names in new.counters.items()
        for name in names
        if name in old.counters.get(family, {})
    }
    values = _own_counters(node) if kept else {}
    members = {
        key: _elements(node, *key, new.lasting[key][0])
        for key in new.lasting
        if old.lasting.get(key) == new.lasting[key]
    }
    gone = "".join(
        f"table {family} {TABLE}\ndelete table {family} {TABLE}\n"
        for family in sorted({*families(old), *families(new)})
    )
    problem = _load(node, [gone + text(new, values, members)])
    if problem is None:
        return []
    if _TOO_LONG in problem:
        problem = _load_pieces(node, gone, new, values, members)
        return [f"{node.name}: nft did not take the ruleset in pieces: {problem}"] if problem else []
    return [f"{node.name}: nft did not take the ruleset: {problem}", *_without_log(node, gone, new, values, members)]


def _load(node: vrf.Network, files: Sequence[str]) -> str | None:
    """Load rule files in order; return nft's message if it rejects one."""
    for file in files:
        done = node.run(["nft", "-f", "-"], input=file)
        if done.returncode != 0:
            return done.stderr.strip() or f"exit status {done.returncode}"
    return None


def _load_pieces(node: vrf.Network, gone: str, state: NftState, values: Values, members: Members) -> str | None:
    """Load a ruleset in as few pieces as the kernel accepts: nft reads the existing ruleset before each piece."""
    problem = None
    for most in SIZES:
        problem = _load(node, [gone, *pieces(state, values, members, most=most)])
        if problem is None or _TOO_LONG not in problem:
            break
    return problem


def _without_log(node: vrf.Network, gone: str, state: NftState, values: Values, members: Members) -> list[str]:
    """Remove log statements for a kernel without nfnetlink_log: filtering must not depend on logging."""
    rules = {key: [rule for rule in found if " log prefix " not in rule] for key, found in state.rules.items()}
    if rules == state.rules:
        return []
    problem = _load_pieces(node, gone, replace(state, rules=rules), values, members)
    return [f"{node.name}: nft did not take the ruleset without its log either: {problem}"] if problem else []


def counters(node: HostedNode) -> dict[tuple[str, str], tuple[int, int]]:
    """Return named counters: (family, name) to (packets, bytes), summed over all VRFs."""
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for name in vrf.names(node):
        for key, (packets, size) in _own_counters(vrf.inside(node, name)).items():
            before = found.get(key, (0, 0))
            found[key] = (before[0] + packets, before[1] + size)
    return found


def _own_counters(node: vrf.Network) -> dict[tuple[str, str], tuple[int, int]]:
    done = node.run(["nft", "-j", "list", "counters"])
    entries = [entry["counter"] for entry in json.loads(done.stdout or "{}").get("nftables", []) if "counter" in entry]
    return {(entry["family"], entry["name"]): (entry["packets"], entry["bytes"]) for entry in entries}


def reset(node: HostedNode, family: str, name: str) -> None:
    """Reset counters in every VRF."""
    for one in vrf.names(node):
        vrf.inside(node, one).run(["nft", "reset", "counter", family, TABLE, name])


def members(node: vrf.Network, family: str, name: str, kind: str) -> list[Any]:
    """Return the elements of a set or map from nft's JSON."""
    done = node.run(["nft", "-j", "list", kind, family, TABLE, name])
    found = [entry[kind] for entry in json.loads(done.stdout or "{}").get("nftables", []) if kind in entry]
    return list(found[0].get("elem", ())) if found else []


def _elements(node: vrf.Network, family: str, name: str, kind: str) -> list[str]:
    """Return the elements in the syntax of a ruleset."""
    return [_element(one) for one in members(node, family, name, kind)]


def _element(one: Any) -> str:
    if isinstance(one, list):
        key, value = one
        return f"{_element(key)} : {value}"
    if not isinstance(one, dict):
        return str(one)
    if "concat" in one:
        return " . ".join(_element(part) for part in one["concat"])
    inner = one["elem"]
    times = "".join(f" {word} {inner[word]}s" for word in ("timeout", "expires") if word in inner)
    return f"{_element(inner['val'])}{times}"


__all__ = ["TABLE", "apply", "counters", "members", "reset", "text"]
