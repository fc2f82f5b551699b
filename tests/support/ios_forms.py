"""Pairs of forms of one command, what is typed first and what then: from the grammar, the same ones each time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, zip_longest
from random import Random
from typing import Final
from zlib import crc32

from pytest_netbench.platforms.cisco_ios.areas import grammar
from pytest_netbench.platforms.cisco_ios.grammar import pattern
from pytest_netbench.platforms.cisco_ios.grammar.command import Match, ParsedCommand
from pytest_netbench.platforms.cisco_ios.grammar.reader import Reader, tokenize

MOST_PAIRS: Final = 4000
_FORMS, _TRIES, _LONGEST = 4, 40, 40

BASE: Final = """\
ipv6 unicast-routing
ip access-list standard STD
 permit 10.0.0.0 0.255.255.255
ip access-list extended EXT
 permit tcp any any eq 80
ip prefix-list PFX seq 5 permit 10.0.0.0/8 le 32
ipv6 prefix-list PFX6 seq 5 permit 2001:DB8::/32 le 64
ip as-path access-list 1 permit ^65002
ip community-list standard COMM permit 100:1
key chain KEYS
 key 1
  key-string secret
route-map RM permit 10
 set metric 7
route-map RM2 permit 10
 set metric 9
class-map match-any CM
 match ip dscp ef
class-map match-all CM2
 match ip dscp af21
policy-map PM
 class CM
  bandwidth percent 20
policy-map PM2
 class CM
  police 8000
class-map type inspect match-any WEB
 match protocol http
policy-map type inspect FIREWALL
 class type inspect WEB
  inspect
zone security IN
zone security OUT
line vty 0 4
 login
 transport input ssh
vrf definition RED
 address-family ipv4
ip route 192.168.50.0 255.255.255.0 Null0
ip sla 1
 icmp-echo 10.0.12.2
track 1 ip sla 1
ip nat pool POOL 10.9.9.1 10.9.9.9 netmask 255.255.255.0
interface Loopback0
 ip address 10.1.1.1 255.255.255.255
 ip ospf 1 area 0
interface GigabitEthernet0/0
 ip address 10.0.12.1 255.255.255.0
 ipv6 address 2001:DB8:12::1/64
 ip ospf 1 area 0
 ipv6 ospf 2 area 0
 ip router isis
interface GigabitEthernet0/1
 ip address 10.0.13.1 255.255.255.0
router ospf 1
 area 5 stub
ipv6 router ospf 2
 router-id 2.2.2.2
router rip
 version 2
 network 10.0.0.0
ipv6 router rip RIPNG
router eigrp 5
 network 10.0.13.0 0.0.0.255
router isis
 net 49.0001.0000.0000.0001.00
router bgp 65001
 bgp router-id 1.1.1.1
 neighbor PEERS peer-group
 neighbor 10.0.12.2 remote-as 65002
 neighbor 2001:DB8:12::2 remote-as 65002
 address-family ipv4
  neighbor 10.0.12.2 activate
 address-family ipv6
  neighbor 2001:DB8:12::2 activate
 address-family ipv4 vrf RED
  neighbor 10.0.12.2 remote-as 65002
"""
"""The config to which forms are added: it has what they refer to."""
SWITCH: Final = """\
vlan 10
vlan 20
interface GigabitEthernet0/0
 switchport mode trunk
interface GigabitEthernet0/1
 switchport mode access
 switchport access vlan 10
interface Vlan10
 ip address 10.0.12.1 255.255.255.0
"""
"""The same of a switch."""

PLACES: Final[Mapping[str, Sequence[str]]] = {
    "config": (),
    "if": ("interface GigabitEthernet0/0",),
    "keychain": ("key chain KEYS",),
    "keychain-key": ("key chain KEYS", "key 1"),
    "router-ospf": ("router ospf 1",),
    "ipv6-router-ospf": ("ipv6 router ospf 2",),
    "router-ospfv3": ("router ospfv3 2",),
    "router-ospfv3-af": ("router ospfv3 2", "address-family ipv6 unicast"),
    "router-rip": ("router rip",),
    "router-ripng": ("ipv6 router rip RIPNG",),
    "router-eigrp": ("router eigrp 5",),
    "router-isis": ("router isis",),
    "acl-standard": ("ip access-list standard STD",),
    "acl-extended": ("ip access-list extended EXT",),
    "acl-ipv6": ("ipv6 access-list SIX",),
    "group-network": ("object-group network NETS",),
    "group-service": ("object-group service SERVICES",),
    "time-range": ("time-range HOURS",),
    "zone-pair": ("zone-pair security PAIR source IN destination OUT",),
    "cmap": ("class-map match-any CM",),
    "pmap": ("policy-map PM",),
    "pmap-c": ("policy-map PM", "class CM"),
    "police": ("policy-map PM2", "class CM", "police 8000"),
    "cmap-inspect": ("class-map type inspect match-any WEB",),
    "pmap-inspect": ("policy-map type inspect FIREWALL",),
    "pmap-inspect-c": ("policy-map type inspect FIREWALL", "class type inspect WEB"),
    "cp": ("control-plane",),
    "cp-host": ("control-plane host",),
    "zone": ("zone security IN",),
    "archive": ("archive",),
    "arp-nacl": ("arp access-list ARPS",),
    "dhcp-pool": ("ip dhcp pool LEASES",),
    "ip-sla": ("ip sla 2",),
    "track": ("track 2 ip sla 1",),
    "route-map": ("route-map RM permit 10",),
    "vrf-definition": ("vrf definition RED",),
    "vrf": ("ip vrf BLUE",),
    "router-bgp": ("router bgp 65001",),
    "router-bgp-af": ("router bgp 65001", "address-family ipv4"),
    "router-bgp-af6": ("router bgp 65001", "address-family ipv6"),
    "router-bgp-vrf": ("router bgp 65001", "address-family ipv4 vrf RED"),
    "vlan": ("vlan 10",),
    "line": ("line vty 0 4",),
}
"""How a mode is entered."""
_OF_SWITCHES: Final = {"vlan", "arp-nacl"}
_NAMED: Final[Mapping[str, Sequence[str]]] = {
    "peer": ("10.0.12.2", "2001:DB8:12::2"),
    "map": ("RM", "RM2"),
    "list": ("PFX", "STD", "EXT", "PFX6", "COMM"),
    "mask": ("255.255.255.0",),
    "wildcard": ("0.0.0.255",),
    "src_wild": ("0.0.0.255",),
    "dst_wild": ("0.0.0.255",),
    "prefix": ("192.168.60.0", "192.168.60.0/24", "2001:DB8:60::/48"),
    "network": ("10.0.13.0",),
    "group": ("1", "PEERS"),
    "vrf": ("RED",),
    "chain": ("KEYS",),
    "via": ("10.0.12.2", "2001:DB8:12::2"),
    "hop": ("10.0.12.2",),
    "address": ("10.0.12.9",),
    "area": ("0", "5"),
    "process": ("1",),
    "policy": ("PM", "PM2"),
    "other": ("CM2",),
    "zone": ("IN",),
    "pool": ("POOL",),
    "lender": ("Loopback0",),
    "track": ("1",),
    "object": ("1",),
    "key": ("0822455D0A16", "094F471A1A0A"),
}
_SHOWN: Final[Mapping[str, Sequence[str]]] = {
    "A.B.C.D": ("10.0.12.9", "10.0.12.8"),
    "A.B.C.D/nn": ("192.168.60.0/24", "192.168.61.0/24"),
    "WORD": ("ALPHA", "BETA", "1"),
    "LINE": ("some text", "other text"),
    "X:X:X:X::X": ("2001:DB8:12::9", "2001:DB8:12::8"),
    "X:X:X:X::X/<0-128>": ("2001:DB8:60::/48", "2001:DB8:61::/48"),
    "INTERFACE": ("GigabitEthernet0/1", "Loopback0"),
    "H.H.H": ("0000.0c07.ac01",),
    "VLAN-LIST": ("10", "20"),
}
_WORDS: Final = (
    *(
        "ALPHA",
        "BETA",
        "1",
        "65010",
        "65020",
        "100:2",
        "no-export",
        "+5",
        "-5",
        "0011.2233",
        "0011.2244",
        "12:30",
        "13:45",
    ),
    *(
        "12:30:00",
        "13:45:00",
        "Jan",
        "Feb",
        "Monday",
        "Friday",
        "ef",
        "af21",
        "critical",
        "flash",
        "http",
        "ssh",
        "static",
    ),
    *("local5", "local6", "h-node", "b-node", "49.0002.0000.0000.0001.00", "49.0003.0000.0000.0001.00"),
)
"""For arguments of all other types: the first ones that a type accepts."""
_NUMBERS: Final = (2, 3, 5, 7, 10, 20, 100, 200, 1000, 1500, 8000, 64000, 100000)


@dataclass(frozen=True)
class Pair:
    """``first`` is typed, then ``then``, both at ``place``."""

    role: str
    mode: str
    command: str
    first: str
    then: str

    @property
    def place(self) -> Sequence[str]:
        """The lines that enter its mode."""
        return PLACES[self.mode]

    def config(self, line: str) -> str:
        """One of its lines as a part of a startup config."""
        return "".join(f"{' ' * depth}{text}\n" for depth, text in enumerate((*self.place, line)))


def pairs() -> list[Pair]:
    """Every form of a command against every other one, and against ``no``; the commands in turn."""
    each = [list(_of(role, mode, known)) for role, mode, known in commands()]
    turns = zip_longest(*(Random(7).sample(found, len(found)) for found in each))
    return [pair for turn in turns for pair in turn if pair is not None]


def commands() -> Iterator[tuple[str, str, ParsedCommand]]:
    """All config commands that have an effect, each with a role and a mode: of a switch what no router knows."""
    for mode in PLACES:
        of_router = [] if mode in _OF_SWITCHES else _effective(mode, "router")
        yield from (("router", mode, known) for known in of_router)
        yield from (("switch", mode, known) for known in _effective(mode, "switch") if known not in of_router)


def _effective(mode: str, role: str) -> list[ParsedCommand]:
    """The commands of a mode, but those that are marked as without effect, and banners, whose text has delimiters."""
    known = grammar().reader(mode, role).commands
    return [one for one in known if not one.command.marked and not one.pattern.text.startswith("banner ")]


def _of(role: str, mode: str, known: ParsedCommand) -> Iterator[Pair]:
    """Yield its forms with the same key arguments one after the other, and its ``no`` after each."""
    reader, about = grammar().reader(mode, role), f"{mode}: {known.pattern.text}"
    forms = _forms(reader, known)
    for first, then in permutations(forms, 2):
        if first.keys == then.keys:
            yield Pair(role, mode, about, first.text, then.text)
    for form in () if known.command.opens else forms:
        for words in dict.fromkeys((form.text, _shortest(reader, form))):
            yield Pair(role, mode, about, form.text, f"no {words}")
        if known.command.keeps_no:
            yield Pair(role, mode, about, f"no {form.text}", form.text)


def _forms(reader: Reader, known: ParsedCommand) -> list[Match]:
    """The shortest, the longest and some other forms of a command."""
    random = Random(crc32(known.pattern.text.encode()))
    keys: dict[str, str] = {}
    found: dict[str, Match] = {}
    for _ in range(_TRIES):
        match = reader.read(_walked(random, known, keys))
        if isinstance(match, Match) and match.known is known:
            found[match.text] = match
    by_length = sorted(found, key=lambda text: len(text.split()))
    return [found[text] for text in list(dict.fromkeys((*by_length[:1], *by_length[-1:], *found)))[:_FORMS]]


def _shortest(reader: Reader, form: Match) -> str:
    """The fewest words of a form with which its ``no`` names the same line."""
    words = form.text.split()
    for count in range(1, len(words)):
        match = reader.read(" ".join(words[:count]), partial=True)
        if isinstance(match, Match) and match.known is form.known and match.keys == form.keys:
            return match.text
    return form.text


def _walked(random: Random, known: ParsedCommand, keys: dict[str, str]) -> str:
    way: pattern.Way = (known.pattern.root, None)
    words: list[str] = []
    for _ in range(_LONGEST):
        element, way, _ = random.choice(list(pattern.steps(way)))
        if element is None:
            break
        if isinstance(element, pattern.Keyword):
            words.append(element.word)
        elif element.key:
            words.append(keys.setdefault(element.name, _value(random, element)))
        else:
            words.append(_value(random, element))
    return " ".join(words)


def _value(random: Random, argument: pattern.Argument) -> str:
    low, _, high = argument.type.shown.strip("<>").partition("-")
    bounded = low.isdigit() and high.isdigit()
    numbers = [str(number) for number in _NUMBERS if bounded and int(low) <= number <= int(high)][:3]
    shown = _SHOWN.get(argument.type.shown, ())
    for words in (
        _NAMED.get(argument.name, ()),
        numbers or [low] * bounded,
        shown,
        _WORDS,
        argument.type.shown.split("|"),
    ):
        if fitting := [word for word in words if argument.type.read(tokenize(word), word)]:
            return random.choice(fitting)
    return argument.type.shown


def forms_of(role: str, mode: str, known: ParsedCommand) -> list[str]:
    """Some forms of a command, the shortest first."""
    return [match.text for match in _forms(grammar().reader(mode, role), known)]
