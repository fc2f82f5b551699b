"""The text of a ruleset for nft: whole, or in pieces for kernels that limit its size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_netbench.platforms.cisco_ios.compile.state import Chain, NftState

TABLE = "netbench"
SIZES = (200, 50)
"""The maximum number of rules in a piece, in the order in which sizes are tried.

Without privileges outside its namespace, nft sends about 200 KB at once: 200 rules, or 50 long ones.
"""
_THINGS = 200
"""The maximum number of declarations in a piece."""

Values = Mapping[tuple[str, str], tuple[int, int]]
Members = Mapping[tuple[str, str], Sequence[str]]


def families(state: NftState) -> set[str]:
    """Return the address families of a state's tables."""
    return {
        *(family for family, _ in state.chains),
        *state.objects,
        *state.counters,
        *(family for family, _ in state.lasting),
    }


def text(state: NftState, values: Values, members: Members | None = None) -> str:
    """Return the ruleset as a file, with initial counter values and the elements of lasting sets."""
    parts = []
    for family in sorted(families(state)):
        body = _things(state, family, values, members or {})
        for chain in _chains(state, family):
            body += _chain(chain, state.rules.get((family, chain.name), []))
        parts.append(_table(family, body))
    return "".join(parts)


def pieces(state: NftState, values: Values, members: Members | None = None, *, most: int = SIZES[-1]) -> Iterator[str]:
    """Return the ruleset as files of at most ``most`` rules.

    Base chains come last, so no packet enters a chain whose targets are incomplete.
    """
    for family in sorted(families(state)):
        things = _things(state, family, values, members or {})
        things += [line for chain in _chains(state, family) if not chain.hook for line in _chain(chain, [])]
        for start in range(0, len(things), _THINGS):
            yield _table(family, things[start : start + _THINGS])
        body: list[str] = []
        size = 0
        for chain in _chains(state, family):
            rules = state.rules.get((family, chain.name), [])
            for start in range(0, max(1, len(rules)), most):
                some = rules[start : start + most]
                if size + len(some) > most:
                    yield _table(family, body)
                    body, size = [], 0
                body += _chain(chain, some)
                size += len(some)
        if body:
            yield _table(family, body)


def _table(family: str, body: Sequence[str]) -> str:
    return "\n".join([f"table {family} {TABLE} {{", *body, "}", ""])


def _things(state: NftState, family: str, values: Values, members: Members) -> list[str]:
    body = [f"  {thing}" for thing in state.objects.get(family, {})]
    for (of, name), (kind, words) in state.lasting.items():
        found = members.get((of, name))
        elements = f" elements = {{ {', '.join(found)} }};" if found else ""
        body += [f"  {kind} {name} {{ {words}{elements} }}"] if of == family else []
    for name in state.counters.get(family, {}):
        packets, size = values.get((family, name), (0, 0))
        body.append(f"  counter {name} {{ packets {packets} bytes {size} }}")
    return body


def _chains(state: NftState, family: str) -> list[Chain]:
    """Return the chains, those without a hook first, because others jump to them."""
    return sorted(
        (chain for chain in state.chains.values() if chain.family == family), key=lambda chain: bool(chain.hook)
    )


def _chain(chain: Chain, rules: Sequence[str]) -> list[str]:
    hook = [_hook(chain)] if chain.hook else []
    lines = [f"  chain {chain.name} {{", *hook, *(f"    {rule}" for rule in rules)]
    return ["\n".join([*lines, "  }"])]


def _hook(chain: Chain) -> str:
    device = f' device "{chain.device}"' if chain.device else ""
    return f"    type {chain.type} hook {chain.hook}{device} priority {chain.priority}; policy {chain.policy};"
