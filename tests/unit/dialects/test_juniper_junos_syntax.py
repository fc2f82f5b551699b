"""Junos: configs with braces and ``set`` lines are one tree; commands, tags and lists."""

from __future__ import annotations

import pytest

from pytest_netbench.dialects.juniper_junos.syntax import SYNTAX
from pytest_netbench.dialects.syntax import Edit, syntax_of
from pytest_netbench.faults.evidence.observation import unlike

BRACES = """\
## Last commit: 2026-01-05 10:00:00 UTC by lab
version 22.4R1.10;
system {
    host-name edge1; /* the one at the border */
    name-server {
        192.0.2.53;
    }
    login {
        user lab {
            class super-user;
            authentication {
                encrypted-password "$6$notreal"; ## SECRET-DATA
            }
        }
    }
    ntp {
        server 192.0.2.123 key 7 prefer;
    }
    syslog {
        file messages {
            any notice;
            authorization info;
        }
    }
}
interfaces {
    ge-0/0/0 {
        description "to core; { not a block }";
        unit 0 {
            family inet {
                address 10.0.0.1/31;
            }
            inactive: family iso;
        }
    }
    inactive: ge-0/0/1 {
        mtu 9192;
    }
}
policy-options {
    prefix-list NETS {
        198.51.100.0/24;
    }
    policy-statement OUT {
        term NETS {
            from {
                protocol [ static direct ];
                prefix-list NETS;
            }
            then accept;
        }
        then reject;
    }
    community LAB members [ 65000:1 65000:2 ];
}
routing-options {
    static {
        route 0.0.0.0/0 next-hop 10.0.0.0;
    }
    autonomous-system 65000;
}
protocols {
    bgp {
        group CORE {
            type external;
            export [ OUT NONE ];
            neighbor 10.0.0.0 {
                peer-as 65001;
            }
        }
    }
}
"""
SET = """\
set version 22.4R1.10
set system host-name edge1
set system name-server 192.0.2.53
set system login user lab class super-user
set system login user lab authentication encrypted-password "$6$notreal"
set system ntp server 192.0.2.123 key 7
set system ntp server 192.0.2.123 prefer
set system syslog file messages any notice
set system syslog file messages authorization info
set interfaces ge-0/0/0 description "to core; { not a block }"
set interfaces ge-0/0/0 unit 0 family inet address 10.0.0.1/31
set interfaces ge-0/0/0 unit 0 family iso
deactivate interfaces ge-0/0/0 unit 0 family iso
set interfaces ge-0/0/1 mtu 9192
deactivate interfaces ge-0/0/1
set policy-options prefix-list NETS 198.51.100.0/24
set policy-options policy-statement OUT term NETS from protocol static
set policy-options policy-statement OUT term NETS from protocol direct
set policy-options policy-statement OUT term NETS from prefix-list NETS
set policy-options policy-statement OUT term NETS then accept
set policy-options policy-statement OUT then reject
set policy-options community LAB members 65000:1
set policy-options community LAB members 65000:2
set routing-options static route 0.0.0.0/0 next-hop 10.0.0.0
set routing-options autonomous-system 65000
set protocols bgp group CORE type external
set protocols bgp group CORE export OUT
set protocols bgp group CORE export NONE
set protocols bgp group CORE neighbor 10.0.0.0 peer-as 65001
"""


def parsed(text: str):
    return SYNTAX.parse(text)


def test_both_forms_are_one_tree():
    tree = parsed(BRACES)
    assert parsed(SET) == tree
    interfaces = dict(dict(tree)["interfaces"])
    assert interfaces["ge-0/0/1"] == (("inactive:", ()), ("mtu 9192", ()))
    assert dict(interfaces["ge-0/0/0"])["unit 0"] == (
        ("family inet", (("address 10.0.0.1/31", ()),)),
        ("family iso", (("inactive:", ()),)),
    )


def test_what_is_rendered_in_either_form_is_read_back():
    tree = parsed(BRACES)
    assert parsed(SYNTAX.render(tree)) == tree
    assert parsed(SYNTAX.render_set(tree)) == tree
    assert "    inactive: ge-0/0/1 {\n        mtu 9192;\n    }\n" in SYNTAX.render(tree)
    assert sorted(SYNTAX.render_set(tree).splitlines()) == sorted(SET.splitlines())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("interfaces { ge-0/0/0 { mtu 1500; } }", "interfaces ge-0/0/0 mtu 1500;"),
        (
            "interfaces ge-0/0/0 { unit 0 { family { inet { mtu 1400; } } } }",
            "interfaces { ge-0/0/0 { unit 0 { family inet { mtu 1400; } } } }",
        ),
        ("system { host-name r1; } system { domain-name x; }", "system { host-name r1; domain-name x; }"),
        ("protocols { lldp { interface all; } }", "protocols{lldp{interface all;}}"),
        ('system { host-name "r1"; }', "system { host-name r1; }"),
        ("replace: system { replace: host-name r1; }", "system { host-name r1; }"),
        ("system { host-name r1; delete: ntp { server 192.0.2.1; } }", "system { host-name r1; }"),
        ("vlans { A { vlan-id-list [ 10 20 ]; } }", "set vlans A vlan-id-list 10\nset vlans A vlan-id-list 20"),
        ("vlans { A { vlan-id-list [10 20]; } }", "set vlans A vlan-id-list [ 10 20 ]"),
        ("protect: system { host-name r1; }", "set system host-name r1\nprotect system"),
        ("snmp { inactive: location here; }", "set snmp location here\ndeactivate snmp location"),
        (
            "apply-groups [ A B ]; groups { A { system { host-name r1; } } }",
            "set apply-groups A\nset apply-groups B\nset groups A system host-name r1",
        ),
        ("interfaces { <ge-*> { unit <*> { family inet; } } }", "set interfaces <ge-*> unit <*> family inet"),
        ('policy-options { as-path A "65000 [1-9]+"; }', 'set policy-options as-path A "65000 [1-9]+"'),
        (
            "# a comment\nsystem { # another; }\n host-name r1; }",
            "system { /* set system host-name r2 */ host-name r1; }",
        ),
        (
            "lab@r1> show configuration | no-more\nsystem { host-name r1; }\n\n{master}\nlab@r1>",
            "[edit]\nlab@r1# show | display set\nset system host-name r1\n",
        ),
        ("system { host-name r1 }", "system { host-name r1; }"),
        ("/* what was typed:\nset system host-name r2\n*/\nsystem {\n    host-name r1;\n}", "system { host-name r1; }"),
        ("show configuration | display set\nset system host-name r1", "system { host-name r1; }"),
        (
            'system { login { message "two\\nlines of \\"text\\""; } }',
            'set system login message "two\\nlines of \\"text\\""',
        ),
        (
            "set system host-name r1\nsystem { domain-name x; }\nset system location floor 3",
            "system { host-name r1; domain-name x; location floor 3; }",
        ),
    ],
)
def test_texts_that_say_the_same_are_one_tree(one: str, other: str):
    assert parsed(one) == parsed(other) != ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("interfaces { ge-0/0/0 { unit 0; } }", "interfaces { ge-0/0/0 { unit 1; } }"),
        ("interfaces { ge-0/0/0 { disable; } }", "interfaces { ge-0/0/0 { inactive: disable; } }"),
        ("system { host-name a; } ", 'system { host-name "a b"; }'),
        ("vlans { A { vlan-id-list [ 10 20 ]; } }", "vlans { A { vlan-id-list [ 20 10 ]; } }"),
    ],
)
def test_texts_that_do_not_say_the_same_are_two_trees(one: str, other: str):
    assert parsed(one) != parsed(other)


def test_a_certificate_in_quotes_spans_lines_in_both_forms():
    value = '"-----BEGIN X-----\nset system host-name {;\n-----END X-----\n"'
    braces = parsed(f"security {{ certificates {{ local L {{ {value}; }} }} }}")
    assert parsed(SYNTAX.render(braces)) == parsed(SYNTAX.render_set(braces)) == braces
    assert braces[0][1][0][1][0][1][0][0] == value


def test_a_config_that_is_cut_gives_what_can_be_read():
    cut = parsed(BRACES[: BRACES.index(" 9192")])
    assert dict(dict(cut)["interfaces"])["ge-0/0/1"] == (("inactive:", ()), ("mtu", ()))
    assert parsed("interfaces {\n    ge-0/0/0 {") == (("interfaces", (("ge-0/0/0", ()),)),)


def edited(*lines: str) -> set[str]:
    return set(SYNTAX.render_set(SYNTAX.edited(parsed(SET), lines)).splitlines())


@pytest.mark.parametrize(
    ("commands", "removed", "added"),
    [
        (["delete interfaces ge-0/0/1"], {"set interfaces ge-0/0/1 mtu 9192", "deactivate interfaces ge-0/0/1"}, set()),
        (["activate interfaces ge-0/0/1"], {"deactivate interfaces ge-0/0/1"}, set()),
        (["deactivate system ntp"], set(), {"deactivate system ntp"}),
        (
            ["edit system ntp", "delete server 192.0.2.123 prefer", "top", "set system location x"],
            {"set system ntp server 192.0.2.123 prefer"},
            {"set system location x"},
        ),
        (
            [
                "edit protocols bgp",
                "edit group CORE",
                "up",
                "set group EDGE type internal",
                "exit",
                "set passive",
                "exit",
                "set rip",
            ],
            set(),
            {"set protocols bgp group EDGE type internal", "set protocols bgp passive", "set rip"},
        ),
        (
            ["edit protocols bgp group CORE", "up 2", "set lldp interface all"],
            set(),
            {"set protocols lldp interface all"},
        ),
        (
            ["edit protocols bgp group CORE", "top set system location x", "set passive"],
            set(),
            {"set system location x", "set protocols bgp group CORE passive"},
        ),
        (["edit system", "delete"], {line for line in SET.splitlines() if line.startswith("set system ")}, set()),
        (["delete system syslog file messages any"], {"set system syslog file messages any notice"}, set()),
        (
            ["rename protocols bgp group CORE to group X"],
            {line for line in SET.splitlines() if " group CORE " in line},
            {line.replace(" CORE ", " X ") for line in SET.splitlines() if " group CORE " in line},
        ),
        (
            ["copy interfaces ge-0/0/1 to ge-0/0/2"],
            set(),
            {"set interfaces ge-0/0/2 mtu 9192", "deactivate interfaces ge-0/0/2"},
        ),
        (["show interfaces", "commit and-quit", "run show version", "annotate system x"], set(), set()),
        (["delete chassis"], set(), set()),
    ],
)
def test_commands_change_a_config(commands: list[str], removed: set[str], added: set[str]):
    before = set(SET.splitlines())
    after = edited(*commands)
    assert before - after == removed
    assert after - before == added


def terms(*lines: str) -> list[str]:
    text = "\n".join(f"set firewall filter F term {name} then accept" for name in ("A", "B", "C"))
    tree = SYNTAX.edited(parsed(text), lines)
    return [line for line, _ in tree[0][1][0][1]]


@pytest.mark.parametrize(
    ("command", "order"),
    [
        ("insert firewall filter F term C before term A", ["term C", "term A", "term B"]),
        ("insert firewall filter F term A after term B", ["term B", "term A", "term C"]),
        ("insert firewall filter F term A after term X", ["term A", "term B", "term C"]),
        ("insert firewall filter F term X after term A", ["term A", "term B", "term C"]),
    ],
)
def test_insert_moves_a_line(command: str, order: list[str]):
    assert terms(command) == order


@pytest.mark.parametrize("command", ["load merge terminal", "rollback 1", "wildcard delete interfaces ge-*", "no ip"])
def test_a_command_that_does_not_tell_what_it_changes_is_refused(command: str):
    with pytest.raises(ValueError, match="whose changes can be told"):
        SYNTAX.edits([command])


@pytest.mark.parametrize(
    ("commands", "edits"),
    [
        (["set system host-name a"], [Edit(("system", "host-name a"))]),
        (["delete interfaces ge-0/0/0 mtu"], [Edit(("interfaces", "ge-0/0/0", "mtu"), removes=True)]),
        (
            ["edit interfaces ge-0/0/0", "set unit 0 family inet"],
            [Edit(("interfaces", "ge-0/0/0", "unit 0", "family inet"))],
        ),
        (
            ["set system ntp server 192.0.2.1 key 1 prefer"],
            [
                Edit(("system", "ntp", "server 192.0.2.1", "key 1")),
                Edit(("system", "ntp", "server 192.0.2.1", "prefer")),
            ],
        ),
        (["deactivate protocols bgp"], [Edit(("protocols", "bgp", "inactive:"))]),
        (["activate protocols bgp"], [Edit(("protocols", "bgp", "inactive:"), removes=True)]),
        (
            ["insert policy-options policy-statement P term A before term B"],
            [Edit(("policy-options", "policy-statement P", "term A"))],
        ),
        (["rename vlans A to B"], [Edit(("vlans", "A"), removes=True), Edit(("vlans", "B"))]),
        (
            ["set vlans A vlan-id-list [ 1 2 ]"],
            [Edit(("vlans", "A", "vlan-id-list 1")), Edit(("vlans", "A", "vlan-id-list 2"))],
        ),
        (["commit"], []),
    ],
)
def test_commands_say_which_lines_they_ask_for(commands: list[str], edits: list[Edit]):
    assert list(SYNTAX.edits(commands)) == edits


def test_every_line_is_removed_by_what_negates_it_and_by_nothing_less():
    tree = parsed(BRACES)
    paths = SYNTAX.paths(BRACES)
    assert len(paths) > 50
    for path in paths:
        (command,) = SYNTAX.negate(path)
        left = SYNTAX.paths(SYNTAX.render(SYNTAX.edited(tree, [command])))
        below = [one for one in paths if one[: len(path)] == path]
        assert sorted(left) == sorted(one for one in paths if one not in below), command
        assert SYNTAX.edits([command]) == (Edit(path, removes=True),)


def test_a_running_config_is_held_to_commands():
    def problems(*commands: str) -> list[str]:
        return list(unlike(BRACES, commands, syntax_of("juniper_junos")))

    assert problems("set routing-options autonomous-system 65000", "deactivate interfaces ge-0/0/1") == []
    assert problems("delete routing-options autonomous-system", "set system ntp") == [
        "'routing-options / autonomous-system 65000' is still in the running config"
    ]
    assert problems("activate interfaces ge-0/0/1") == [
        "'interfaces / ge-0/0/1 / inactive:' is still in the running config"
    ]
    assert problems("set interfaces ge-0/0/0 mtu 1400") == [
        "'interfaces / ge-0/0/0 / mtu 1400' is not in the running config"
    ]


def test_a_commit_takes_all_commands_of_a_request():
    assert SYNTAX.commit == "batch"
