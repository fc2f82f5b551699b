"""Rewrites a text by a skin. Pure; the same function takes the skin off again, with the inverse skin."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Final

from pytest_netbench.dialects.cisco_ios.interfaces import types_of
from pytest_netbench.generators.variants.addresses import BITS, AddressMap, text_of
from pytest_netbench.generators.variants.tokens import PARTIAL, V4, V6, mention_of
from pytest_netbench.model.variant import Skin


class Kind(Enum):
    """What a text is, which decides where names of nodes stand in it."""

    NAME = "a node, an address, a prefix, or several of them"
    RECORD = "as a name, but an address without a length is one address, also if it ends in zeros"
    PROSE = "words for people"
    DEVICE = "commands, configurations and output of devices"


_WORD: Final = r"(?:(?<![\w-])|(?<=\\[bBsSn]))"
_END: Final = r"(?![\w-])"
_INTERFACE: Final = (
    r"(?:(?<![\w./-])|(?<=\\[bBsS]))(?P<slot_before>[A-Za-z]{2,} ?|[A-Z](?=\d))(?P<slot>\d+)(?P<rest>(?:\\?/\d+){1,2})"
    r"(?:(?P<dot>\\?\.)(?P<sub>\d+))?"
)
_ETHERNET: Final = rf"{_WORD}(?P<port_before>eth)(?P<port>\d+)(?:(?P<port_dot>\\?\.)(?P<port_sub>\d+))?(?!\w)"
_LOOPBACK: Final = r"(?i:(?P<loopback_before>\b(?:Loopback|Lo) ?))(?P<loopback>\d+)(?![\w.])"
_NUMBER: Final = r"\d+(?!\d|[./:]\d)"
_NUMBERS: Final = rf"{_NUMBER}(?:(?:, ?| and |-| or ){_NUMBER})*"
_VLANS: Final = (
    r"(?i:(?P<vlans_before>\bvlans?(?: (?:names|add|remove|except|id))*[ -]?|\bdot1q |\bvid ))"
    rf"(?P<vlans>{_NUMBERS})(?!\w)"
)
_VLAN_OUTPUT: Final = r"(?P<vlan_columns_before>\^|\\s\+)(?P<vlan_columns>\d+(?:,\d+)*)(?=\\s)"
_EIGRP: Final = r"(?i:(?P<eigrp_before>\b(?:autonomous system|eigrp|AS)[ (]+))(?P<eigrp>\d+)(?![\d:])"
_NODE_LINES: Final = re.compile(r"^(\s*(?:hostname|description|remark|[#!]) )(.*)$", re.MULTILINE)


class Rewriter:
    """Rewrites texts by one skin.

    Args:
        skin: What replaces what.
    """

    def __init__(self, skin: Skin) -> None:
        self._skin = skin
        self._addresses = AddressMap(skin.flips, skin.documentation)
        self._words: dict[str, str] = {**skin.names, **skin.secrets}
        prose = {name: new for name, new in skin.nodes.items() if name not in skin.ordinary}
        self._nodes: dict[Kind, Mapping[str, str]] = {
            Kind.NAME: skin.nodes,
            Kind.RECORD: skin.nodes,
            Kind.PROSE: prose,
            Kind.DEVICE: {},
        }
        self._patterns = {kind: self._pattern(nodes) for kind, nodes in self._nodes.items()}

    def text(self, text: str, kind: Kind) -> str:
        """``text`` under this skin."""
        if kind is Kind.DEVICE:
            return self._replaced(_NODE_LINES.sub(self._node_line, text), Kind.DEVICE)
        return self._replaced(text, kind)

    def _node_line(self, match: re.Match[str]) -> str:
        """A line of a configuration that names nodes, with these names replaced and all else as it is."""
        nodes = self._nodes[Kind.NAME if "hostname" in match[1] else Kind.PROSE]
        if not nodes:
            return match[0]
        return match[1] + re.sub(_any_of(nodes), lambda found: nodes[found[0]], match[2])

    def _replaced(self, text: str, kind: Kind) -> str:
        return self._patterns[kind].sub(lambda match: self._one(match, kind), text)

    def _pattern(self, nodes: Mapping[str, str]) -> re.Pattern[str]:
        skin = self._skin
        parts = [V4, PARTIAL, V6, _INTERFACE, _ETHERNET, _LOOPBACK]
        parts += [_VLANS, _VLAN_OUTPUT] if skin.vlans else []
        parts += [_EIGRP] if skin.eigrp else []
        if skin.asns:
            parts.append(rf"(?<![\d.])(?P<asn>{'|'.join(map(str, sorted(skin.asns)))})(?!\d|\\?\.\d)")
        words = {**self._words, **nodes}
        parts += [f"(?P<word>{_any_of(words)})"] if words else []
        return re.compile("|".join(parts))

    def _one(self, match: re.Match[str], kind: Kind) -> str:
        found = {name: text for name, text in match.groupdict().items() if text is not None}
        if found.keys() & {"v4", "partial", "v6"}:
            return self._address(match, kind)
        if "word" in found:
            return self._nodes[kind].get(found["word"], self._words.get(found["word"], ""))
        return self._numbered(match[0], found)

    def _numbered(self, text: str, found: Mapping[str, str]) -> str:
        skin = self._skin
        if "slot" in found and not types_of(found["slot_before"].strip()):
            return text
        for number, mapping in (
            ("slot", skin.slots),
            ("port", skin.ports),
            ("loopback", skin.loopbacks),
            ("vlans", skin.vlans),
            ("vlan_columns", skin.vlans),
            ("eigrp", {**skin.asns, **skin.eigrp}),
            ("asn", skin.asns),
        ):
            if number in found:
                return found.get(f"{number}_before", "") + _mapped(found[number], mapping) + self._behind(found)
        return text

    def _behind(self, found: Mapping[str, str]) -> str:
        """What follows the number of an interface: its other numbers, and that of a subinterface, which is a VLAN's."""
        behind = found.get("rest", "") + found.get("dot", "") + found.get("port_dot", "")
        sub = found.get("sub", found.get("port_sub"))
        return behind if sub is None else behind + _mapped(sub, self._skin.vlans)

    def _address(self, match: re.Match[str], kind: Kind) -> str:
        mention = mention_of(match)
        if mention is None:
            return match[0]
        is_bare = kind is Kind.RECORD and mention.length is None and not mention.is_pattern
        own = BITS[mention.version] if is_bare else mention.own
        moved = text_of(self._addresses.moved(mention.value, mention.version, own), mention.version)
        if mention.version == 6:
            return moved.upper() if match[0].upper() == match[0] else moved
        octets = moved.split(".")[: mention.own // 8] if mention.is_pattern else moved.split(".")
        separators = re.findall(r"\\?\.", match[0])
        return "".join(octet + dot for octet, dot in zip(octets, [*separators, ""], strict=False))


def _mapped(numbers: str, mapping: Mapping[int, int]) -> str:
    return re.sub(r"\d+", lambda one: str(mapping.get(int(one[0]), one[0])), numbers)


def _any_of(words: Iterable[str]) -> str:
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return f"{_WORD}(?:{'|'.join(map(re.escape, longest_first))}){_END}"
