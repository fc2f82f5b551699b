"""The nftables ruleset of a plan: replaced as a whole in one transaction, named counters keep their values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_netbench.platforms.base import NodeAccess
from pytest_netbench.platforms.cisco_ios.plan import Chain, NftPlan

TABLE = "netbench"


def apply(node: NodeAccess, old: NftPlan, new: NftPlan) -> list[str]:
    """Load the new ruleset if it says anything else than the old one."""
    before, after = text(old, {}), text(new, {})
    if before == after:
        return []
    kept = {
        (family, name)
        for family, names in new.counters.items()
        for name in names
        if name in old.counters.get(family, [])
    }
    values = counters(node) if kept else {}
    members = {
        key: _elements(node, *key, new.lasting[key][0])
        for key in new.lasting
        if old.lasting.get(key) == new.lasting[key]
    }
    families = sorted({*_families(old), *_families(new)})
    script = "".join(f"table {family} {TABLE}\ndelete table {family} {TABLE}\n" for family in families)
    # a ruleset's hours and days are read in the time zone of the program: the router's clock shows UTC
    done = node.run(["env", "TZ=UTC", "nft", "-f", "-"], input=script + text(new, values, members))
    if done.returncode == 0:
        return []
    problem = f"{node.name}: nft did not take the ruleset: {done.stderr.strip()}"
    return [problem, *_without_log(node, script + text(new, values, members))]


def _without_log(node: NodeAccess, script: str) -> list[str]:
    """A kernel may lack the log that is read from: what is permitted and denied must not depend on that."""
    lines = script.splitlines(keepends=True)
    kept = [line for line in lines if " log prefix " not in line]
    if len(kept) == len(lines):
        return []
    done = node.run(["env", "TZ=UTC", "nft", "-f", "-"], input="".join(kept))
    return (
        [f"{node.name}: nft did not take the ruleset without its log either: {done.stderr.strip()}"]
        if done.returncode
        else []
    )


def counters(node: NodeAccess) -> dict[tuple[str, str], tuple[int, int]]:
    """Named counters: (family, name) to (packets, bytes)."""
    done = node.run(["nft", "-j", "list", "counters"])
    entries = [entry["counter"] for entry in json.loads(done.stdout or "{}").get("nftables", []) if "counter" in entry]
    return {(entry["family"], entry["name"]): (entry["packets"], entry["bytes"]) for entry in entries}


def _families(plan: NftPlan) -> set[str]:
    return {
        *(family for family, _ in plan.chains),
        *plan.objects,
        *plan.counters,
        *(family for family, _ in plan.lasting),
    }


def members(node: NodeAccess, family: str, name: str, kind: str) -> list[Any]:
    """The elements of a set or map as nft's JSON has them."""
    done = node.run(["nft", "-j", "list", kind, family, TABLE, name])
    found = [entry[kind] for entry in json.loads(done.stdout or "{}").get("nftables", []) if kind in entry]
    return list(found[0].get("elem", ())) if found else []


def _elements(node: NodeAccess, family: str, name: str, kind: str) -> list[str]:
    """The same in the words of a ruleset."""
    return [_element(one) for one in members(node, family, name, kind)]


def _element(one: Any) -> str:
    if isinstance(one, list):
        key, value = one
        return f"{_element(key)} : {value}"
    if not isinstance(one, dict):
        return str(one)
    inner = one["elem"]
    times = "".join(f" {word} {inner[word]}s" for word in ("timeout", "expires") if word in inner)
    return f"{inner['val']}{times}"


def text(
    plan: NftPlan,
    values: dict[tuple[str, str], tuple[int, int]],
    members: Mapping[tuple[str, str], Sequence[str]] | None = None,
) -> str:
    """The ruleset as a file, with the values of counters and the members of lasting sets that it is to begin with."""
    parts = []
    for family in sorted(_families(plan)):
        body = [f"  {thing}" for thing in plan.objects.get(family, [])]
        for (of, name), (kind, words) in plan.lasting.items():
            found = (members or {}).get((of, name))
            elements = f" elements = {{ {', '.join(found)} }};" if found else ""
            body += [f"  {kind} {name} {{ {words}{elements} }}"] if of == family else []
        for name in plan.counters.get(family, []):
            packets, size = values.get((family, name), (0, 0))
            body.append(f"  counter {name} {{ packets {packets} bytes {size} }}")
        chains = [chain for chain in plan.chains.values() if chain.family == family]
        # chains without a hook first: others jump to them
        for chain in sorted(chains, key=lambda chain: bool(chain.hook)):
            rules = plan.rules.get((family, chain.name), [])
            body += [
                f"  chain {chain.name} {{",
                *([_hook(chain)] if chain.hook else []),
                *(f"    {rule}" for rule in rules),
                "  }",
            ]
        parts.append("\n".join([f"table {family} {TABLE} {{", *body, "}", ""]))
    return "".join(parts)


def _hook(chain: Chain) -> str:
    device = f' device "{chain.device}"' if chain.device else ""
    return f"    type {chain.type} hook {chain.hook}{device} priority {chain.priority}; policy {chain.policy};"
