"""The language of EOS: interface names, texts of several lines, removal, canonical lines, ordered lists."""

from __future__ import annotations

import pytest

from pytest_netbench.dialects.arista_eos import AristaEosDialect
from pytest_netbench.dialects.syntax import Edit
from pytest_netbench.scorers.lines import Lines
from tests.support.eos_commands import canonical, commands

DIALECT = AristaEosDialect()
SYNTAX = DIALECT.syntax
BANNER = "banner login\n  Staff only!\n!\n\nno entry\nEOF"
TEXT = f"""\
hostname s1
{BANNER}
!
interface Ethernet1
   no switchport
!
event-handler boot
   action bash
      date
      EOF
   delay 0
"""


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("Et1", "Ethernet1"),
        ("eth 1/1", "Ethernet1/1"),
        ("e3/2/4.100", "Ethernet3/2/4.100"),
        ("Ma1", "Management1"),
        ("management1/1", "Management1/1"),
        ("po10", "Port-Channel10"),
        ("port-channel 10.7", "Port-Channel10.7"),
        ("Vl10", "Vlan10"),
        ("lo0", "Loopback0"),
        ("Vx1", "Vxlan1"),
        ("Tu007", "Tunnel7"),
    ],
)
def test_names_of_one_interface_have_one_full_form(name: str, full: str):
    assert DIALECT.interface(name) == DIALECT.interface(full) == full


@pytest.mark.parametrize(
    ("name", "words"),
    [("v10", "ambiguous"), ("Gi0/1", "unknown"), ("Ethernet", "no interface name"), ("Et1-4", "no interface name")],
)
def test_what_is_no_interface_is_refused(name: str, words: str):
    with pytest.raises(ValueError, match=words):
        DIALECT.interface(name)


def test_a_text_of_several_lines_is_one_line_of_the_tree():
    tree = SYNTAX.parse(TEXT)
    assert [line for line, _ in tree] == ["hostname s1", BANNER, "!", "interface Ethernet1", "!", "event-handler boot"]
    assert tree[-1][1] == (("action bash\n      date\n      EOF", ()), ("delay 0", ()))
    assert SYNTAX.render(tree) == TEXT


def test_a_banner_that_is_cut_takes_nothing_with_it():
    assert SYNTAX.parse("banner motd\nhostname s1\n") == (("banner motd", ()), ("hostname s1", ()))


def test_a_comment_within_a_section_ends_nothing():
    (section, comment) = SYNTAX.parse("router bgp 1\n   !\n   vlan 1\n!\n      rd 1:1\n")
    assert section == ("router bgp 1", (("!", ()), ("vlan 1", (("rd 1:1", ()),))))
    assert comment == ("!", ())


@pytest.mark.parametrize(
    ("path", "removal"),
    [
        (("interface Ethernet1", "mtu 9214"), ("interface Ethernet1", "   no mtu 9214")),
        (("interface Ethernet1", "no switchport"), ("interface Ethernet1", "   switchport")),
        (("ip access-list A", "10 permit ip any any"), ("ip access-list A", "   no 10")),
        (("ip prefix-list P", "seq 10 permit 10.0.0.0/8"), ("ip prefix-list P", "   no seq 10")),
        (("ip prefix-list P seq 10 permit 10.0.0.0/8",), ("no ip prefix-list P seq 10",)),
        ((BANNER,), ("no banner login",)),
        (("router bgp 1", "vlan 5", "rd 1:5"), ("router bgp 1", "   vlan 5", "      no rd 1:5")),
    ],
)
def test_a_line_is_removed_by_a_command_that_is_read_as_its_removal(path: tuple[str, ...], removal: tuple[str, ...]):
    assert SYNTAX.negate(path) == removal
    edit = SYNTAX.edits(removal)[-1]
    if path[-1].startswith("no "):
        assert edit == Edit((*path[:-1], path[-1].removeprefix("no ")))
    else:
        assert edit.removes
        assert edit.path[:-1] == path[:-1]
        assert path[-1].startswith(edit.path[-1])


def test_default_removes_as_no_does():
    assert SYNTAX.edits(["interface Ethernet1", "   default mtu"])[-1] == Edit(
        ("interface Ethernet1", "mtu"), removes=True
    )


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("ip address 10.0.0.1 255.255.255.0", "ip address 10.0.0.1/24"),
        ("ip address 10.0.0.1 255.255.255.0 secondary", "ip address 10.0.0.1/24 secondary"),
        ("ip route vrf A 10.0.0.0 255.0.0.0 10.1.1.1", "ip route vrf A 10.0.0.0/8 10.1.1.1"),
        ("ip route 10.0.0.0/8 10.1.1.1", "ip route 10.0.0.0/8 10.1.1.1"),
        ("10 permit tcp 10.0.0.0 0.0.0.255 host 10.1.1.1 eq ssh", "10 permit tcp 10.0.0.0/24 host 10.1.1.1 eq ssh"),
        ("10 permit ip 10.0.0.0 0.255.0.255 any", "10 permit ip 10.0.0.0 0.255.0.255 any"),
        ("ip address 10.0.0.1 255.0.255.0", "ip address 10.0.0.1 255.0.255.0"),
        ("network 10.0.0.0/8 area 0", "network 10.0.0.0/8 area 0.0.0.0"),
        ("area 260 stub", "area 0.0.1.4 stub"),
        ("neighbor 10.0.0.1 peer-group P", "neighbor 10.0.0.1 peer group P"),
        ("vrf definition A", "vrf instance A"),
        ("interface et1", "interface Ethernet1"),
        ("interface Et1-4", "interface Et1-4"),
    ],
)
def test_lines_that_mean_the_same_have_one_form(typed: str, shown: str):
    assert DIALECT.normalise(typed) == shown
    assert DIALECT.normalise(shown) == shown


@pytest.mark.parametrize(
    "line", ["!", "!! a remark", "   end", "exit", "10 remark of old", "comment\nx\nEOF", "default mtu"]
)
def test_a_line_that_says_nothing_is_left_out(line: str):
    assert DIALECT.normalise(line) is None


@pytest.mark.parametrize("line", ["default-metric 5", "commentary", "no shutdown", "default-information originate"])
def test_a_line_that_only_begins_so_is_kept(line: str):
    assert DIALECT.normalise(line) == line


def test_prefix_lists_in_lines_and_in_sections_are_equal():
    lines = "ip prefix-list P seq 10 permit 10.0.0.0/8\nip prefix-list P seq 20 permit 11.0.0.0/8\n"
    section = "ip prefix-list P\n   seq 10 permit 10.0.0.0/8\n   seq 20 permit 11.0.0.0/8\n"
    assert canonical(lines) == canonical(section)
    assert canonical(lines) != canonical(section.replace("20 permit", "20 deny"))


def test_entries_of_one_action_have_no_order_and_others_have():
    text = (
        "ip access-list A\n   10 permit ip host 1.1.1.1 any\n   20 permit ip host 2.2.2.2 any\n   30 deny ip any any\n"
    )
    swapped = (
        "ip access-list A\n   10 permit ip host 2.2.2.2 any\n   20 permit ip host 1.1.1.1 any\n   30 deny ip any any\n"
    )
    moved = (
        "ip access-list A\n   10 deny ip any any\n   20 permit ip host 1.1.1.1 any\n   30 permit ip host 2.2.2.2 any\n"
    )
    assert commands(text, swapped) == []
    assert len(commands(text, moved)) > 0


def test_what_an_interface_has_by_default_is_left_out_there_only():
    assert canonical("interface Ethernet1\n   no shutdown\n   switchport\n") == (("interface Ethernet1", ()),)
    assert canonical("management api http-commands\n   no shutdown\n")[0][1] == (("no shutdown", ()),)


@pytest.mark.parametrize(
    ("parents", "line", "block"),
    [
        (("ip access-list A",), "10 permit ip any any", "access list"),
        (("ip prefix-list P",), "seq 10 permit 10.0.0.0/8", "prefix list"),
        (("peer-filter F",), "10 match as-range 1-2 result accept", "peer filter"),
        (("policy-map type pbr M",), "10 class C", "classes"),
        ((), "route-map R permit 10", "route-map R"),
        ((), "ip as-path access-list L permit ^1$ any", "ip as-path access-list L"),
        (("interface Ethernet1",), "mtu 1500", None),
        ((), "ip route 10.0.0.0/8 Null0", None),
    ],
)
def test_ordered_lists(parents: tuple[str, ...], line: str, block: str | None):
    assert DIALECT.ordered_block(parents, line) == block


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("ip access-list standard MGMT", {("access-list", "MGMT")}),
        ("ip access-group WEB in", {("access-list", "WEB")}),
        ("ip access-group WEB vrf MGMT in", {("access-list", "WEB"), ("vrf", "MGMT")}),
        ("match ip address prefix-list P", {("prefix-list", "P")}),
        ("match ip address access-list A", {("access-list", "A")}),
        ("ip prefix-list P", {("prefix-list", "P")}),
        ("route-map R permit 10", {("route-map", "R"), ("route-map sequence", "10")}),
        ("redistribute connected route-map R", {("route-map", "R")}),
        ("neighbor 10.0.0.1 route-map R in", {("route-map", "R")}),
        ("neighbor LEAFS peer group", {("peer group", "LEAFS")}),
        ("neighbor 10.0.0.1 peer group LEAFS", {("peer group", "LEAFS")}),
        ("neighbor 2001:db8::1 remote-as 1", set()),
        ("neighbor default send-community", set()),
        ("vrf instance A", {("vrf", "A")}),
        ("vrf A", {("vrf", "A")}),
        ("ip route vrf A 0.0.0.0/0 10.0.0.1", {("vrf", "A")}),
        ("vxlan vrf A vni 10", {("vrf", "A")}),
        ("ip community-list regexp L permit 1:.*", {("community-list", "L")}),
        ("match community L", {("community-list", "L")}),
        ("match as-path L", {("as-path list", "L")}),
        ("ip as-path access-list L permit ^1$ any", {("as-path list", "L")}),
        ("bgp listen range 10.0.0.0/8 peer-group G peer-filter F", {("peer group", "G"), ("peer-filter", "F")}),
        ("ip routing", set()),
    ],
)
def test_names_that_a_person_chooses(line: str, names: set[tuple[str, str]]):
    template = Lines(DIALECT).template(line)
    positions = {(part.kind, part.name) for part in template.parts if not isinstance(part, str) and part.is_position}
    assert set(template.names) | positions == names
