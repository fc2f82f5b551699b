"""Management lines with several spellings, and those that only have an effect with real servers."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from tests.support.ios import Session, paper


def config(*lines):
    return paper(*lines).running_config().splitlines()


def test_the_algorithm_of_a_secret_shows_in_its_number_alone():
    lines = config(
        "username bob privilege 15 algorithm-type scrypt secret hello", "enable algorithm-type sha256 secret hello"
    )
    assert any(line.startswith("username bob privilege 15 secret 9 $9$") for line in lines)
    assert any(line.startswith("enable secret 9 $9$") for line in lines)
    assert lines[lines.index("!") :].count("algorithm-type") == 0


def test_a_user_made_with_an_algorithm_is_the_user_without():
    lines = config("username bob secret old", "username bob algorithm-type scrypt secret new", "no username bob")
    assert not any(line.startswith("username") for line in lines)


def test_messages_can_go_to_another_port():
    device = paper("logging host 10.0.0.5 transport udp port 5514", "logging host 10.0.0.6")
    hosts = compile_state(device.grammar, device.config, device.facts).services["syslog"]["hosts"]
    assert hosts == [{"address": "10.0.0.5", "port": 5514}, {"address": "10.0.0.6", "port": 514}]
    assert "Logging to 10.0.0.5  (udp port 5514," in Session(device).enter("show logging")


@pytest.mark.parametrize(
    "lines",
    [
        ("tacacs server T", " address ipv4 10.0.0.1", " key 7 0822455D0A16"),
        ("radius server R", " address ipv4 10.0.0.1 auth-port 1812 acct-port 1813", " key secret"),
        ("aaa group server tacacs+ G", " server name T"),
    ],
)
def test_servers_of_logins_are_kept_and_listed_as_without_effect(lines):
    device = paper("aaa new-model", *lines)
    text = device.running_config()
    assert "\n".join(lines) in text
    again = paper(startup=text)
    assert again.running_config() == text
    listed = dict(compile_state(device.grammar, device.config, device.facts).unsupported)
    assert {line.strip() for line in lines} <= listed.keys()


def test_default_of_one_line_leaves_the_others_alone():
    device = paper("line con 0", "logging synchronous", "line aux 3", "default line aux 3")
    text = device.running_config()
    assert "line con 0\n logging synchronous\nline aux 0\nline vty 0 4\n" in text
    assert "aux 3" not in text


def test_a_server_leaves_its_group():
    text = paper(
        "aaa group server tacacs+ G", "server 10.0.0.1", "server 10.0.0.2 auth-port 5", "no server 10.0.0.1"
    ).running_config()
    assert "aaa group server tacacs+ G\n server 10.0.0.2 auth-port 5\n!" in text


def vty_sections(*lines, startup=""):
    """The sections of virtual terminal lines after ``lines`` were typed."""
    text = paper(*lines, startup=startup).running_config()
    return text[text.index("line vty") :].split("!")[0].splitlines()


_OWN_FIVE = ["line vty 0 4", " login", " transport input none"]


def test_a_change_of_sixteen_lines_changes_the_first_five_and_the_others():
    assert vty_sections("line vty 0 15", "login local", "transport input ssh", "access-class 7 in") == [
        *("line vty 0 4", " access-class 7 in", " login local", " transport input ssh"),
        *("line vty 5 15", " access-class 7 in", " login local", " transport input ssh"),
    ]


def test_a_line_of_its_own_divides_the_section_that_it_was_in():
    assert vty_sections("line vty 0 15", "no login", "line vty 2", "length 0") == [
        *("line vty 0 1", " no login", " transport input none"),
        *("line vty 2", " no login", " length 0", " transport input none"),
        *("line vty 3 4", " no login", " transport input none"),
        *("line vty 5 15", " no login", " transport input none"),
    ]


def test_neighboring_lines_that_are_equal_again_are_one_section():
    assert vty_sections("line vty 0", "length 0", "line vty 0", "no length 0") == _OWN_FIVE
    assert vty_sections("line vty 0 2", "length 0", "line vty 3 4", "length 0")[0] == "line vty 0 4"


def test_lines_below_a_new_one_exist_too():
    assert vty_sections("line vty 10 15", "length 0") == [
        *_OWN_FIVE,
        *("line vty 5 9", " login", " transport input none"),
        *("line vty 10 15", " login", " length 0", " transport input none"),
    ]


def test_a_removed_line_takes_those_behind_it_and_the_first_five_stay():
    assert vty_sections("line vty 0 15", "no line vty 8") == [*_OWN_FIVE, "line vty 5 7", *_OWN_FIVE[1:]]
    assert vty_sections("line vty 0 15", "no line vty 5 15") == _OWN_FIVE
    session = Session(paper())
    session.enter("configure terminal")
    assert session.enter("no line vty 2") == "% Can't delete last 5 VTY lines\n"
    assert "Invalid" in session.enter("line vty 4 2")


def test_default_resets_some_of_the_lines():
    assert vty_sections("line vty 0 15", "transport input ssh", "default line vty 5 15")[-2:] == _OWN_FIVE[1:]


def test_a_startup_config_of_sixteen_lines_has_both_sections_and_reads_back_as_it_is_shown():
    shown = vty_sections(startup="line vty 0 15\n login local\n transport input ssh\n")
    assert shown == [
        *("line vty 0 4", " login local", " transport input ssh"),
        *("line vty 5 15", " login local", " transport input ssh"),
    ]
    assert vty_sections(startup="\n".join(shown)) == shown
    assert vty_sections(startup="line vty 0 2\n login\nline vty 3 4\n no login") == [
        *("line vty 0 2", " login"),
        *("line vty 3 4", " no login"),
    ]


def test_the_prompt_of_several_terminal_lines_is_that_of_one():
    session = Session(paper())
    for line in ("configure terminal", "line vty 0 15"):
        session.enter(line)
    assert session.prompt == "R1(config-line)#"


@pytest.mark.parametrize(
    ("section", "line"),
    [
        (None, "spanning-tree extend system-id"),
        (None, "config-register 0x2102"),
        (None, "monitor session 1 source interface GigabitEthernet0/1 both"),
        (None, "monitor session 1 destination interface GigabitEthernet0/0"),
        (None, "udld aggressive"),
        ("interface GigabitEthernet0/0", "media-type gbic"),
        ("interface GigabitEthernet0/0", "media-type rj45"),
        ("interface GigabitEthernet0/0", "udld port aggressive"),
    ],
)
@pytest.mark.parametrize("role", [None, "switch"])
def test_usual_lines_of_saved_configs_do_not_stop_a_boot(section, line, role):
    text = f"{section}\n {line}\n" if section else f"{line}\n"
    device = paper(startup=text + "ip route 10.9.0.0 255.255.0.0 Null0\n", role=role)
    assert device.refused_startup_lines == []
    assert device.config.has("ip route")
