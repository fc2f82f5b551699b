"""The command line: modes, errors with their marker, help, pipes."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.config import passwords
from pytest_netbench.platforms.cisco_ios.session.pipes import filtered
from pytest_netbench.platforms.cisco_ios.session.session import READ_ONLY, Session
from tests.support.ios import paper


def typed(*lines: str, **options) -> tuple[Session, list[str]]:
    session = Session(paper(), **options)
    return session, [session.enter(line) for line in lines]


@pytest.mark.parametrize(
    ("lines", "prompt"),
    [
        ([], "R1#"),
        (["conf t"], "R1(config)#"),
        (["conf t", "int gi0/0"], "R1(config-if)#"),
        (["conf t", "int gi0/0", "exit"], "R1(config)#"),
        (["conf t", "int gi0/0", "end"], "R1#"),
        (["conf t", "int gi0/0", "hostname edge"], "edge(config)#"),
        (["conf t", "line vty 0 4"], "R1(config-line)#"),
        (["conf t", "int lo1", "int lo2", "no interface lo2"], "R1(config)#"),
        (["conf t", "key chain A", "key 1", "key 2"], "R1(config-keychain-key)#"),
        (["conf t", "key chain A", "key 1", "key 2", "exit"], "R1(config-keychain)#"),
        (["disable"], "R1>"),
    ],
)
def test_the_prompt_says_the_mode(lines, prompt):
    assert typed(*lines)[0].prompt == prompt


def test_a_section_that_another_session_removed_is_left():
    device = paper("interface loopback 7")
    one, other = Session(device), Session(device)
    for line in ("conf t", "interface loopback 7"):
        one.enter(line)
    for line in ("conf t", "no interface loopback 7"):
        other.enter(line)
    assert one.enter("hostname later") == ""
    assert one.prompt == "later(config)#"


def test_the_marker_stands_below_the_word_on_a_terminal_that_echoes():
    session, said = typed("conf t", "interface gi0/0", "ip adress 1.1.1.1", echo=True)
    line = f"{session.prompt}ip adress 1.1.1.1"
    marker = said[-1].splitlines()[0]
    assert line[len(marker) - 1 :].startswith("adress")
    assert said[-1].splitlines()[1] == "% Invalid input detected at '^' marker."


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("hostname", "% Incomplete command."),
        ("ip", "% Incomplete command."),
        ("i", '% Ambiguous command:  "i"'),
        ("frob", "^\n% Invalid input detected at '^' marker."),
        ("no frob", "   ^\n% Invalid input detected at '^' marker."),
        ("do frob", "   ^\n% Invalid input detected at '^' marker."),
    ],
)
def test_errors_are_those_of_ios(line, said):
    assert typed("conf t", line)[1][-1].rstrip("\n") == said


def test_do_runs_exec_commands_in_config_modes():
    assert "hostname R1" in typed("conf t", "do show running-config | include hostname")[1][-1]


def test_question_mark_lists_what_may_come_and_tab_completes():
    session, _ = typed("conf t", "interface gi0/0")
    assert "  description" in session.help("")
    assert session.help("shut").split() == ["shutdown"]
    assert session.help("ip address ").split()[0] == "A.B.C.D"
    assert session.help("no ") == session.help("no ")
    assert session.complete("desc") == "description "
    assert session.complete("s") is None
    assert "Unrecognized" in session.help("frob ")


def test_a_reader_changes_nothing():
    session, said = typed("configure terminal", "reload", "write memory", read_only=True)
    assert set(said) == {READ_ONLY + "\n"}
    assert session.prompt == "R1#"


def test_a_banner_of_several_lines_is_taken_as_a_whole():
    session, said = typed("conf t", "banner motd #", "first", " second", "#")
    assert said == [""] * 5
    assert "banner motd ^C\nfirst\n second\n^C" in session.device.running_config()


TEXT = "interface A\n ip x\n shutdown\ninterface B\n ip y\nrouter ospf 1\n network z\n"


@pytest.mark.parametrize(
    ("pipe", "kept"),
    [
        ("include ip", [" ip x", " ip y"]),
        ("inc ^interface", ["interface A", "interface B"]),
        ("exclude ip|interface", [" shutdown", "router ospf 1", " network z"]),
        ("begin router", ["router ospf 1", " network z"]),
        ("section interface", ["interface A", " ip x", " shutdown", "interface B", " ip y"]),
        ("section ospf", ["router ospf 1", " network z"]),
        ("count interface", ["Number of lines which match regexp = 2"]),
    ],
)
def test_pipes_let_through_what_they_say(pipe, kept):
    assert filtered(TEXT, pipe).splitlines() == kept


def test_an_expression_made_to_take_for_ever_is_given_up():
    assert filtered(("a" * 60 + "!\n") * 50, "include ^(a|a|aa)+$") in {"% The regular expression took too long\n", ""}
    assert "Failed to compile" in filtered(TEXT, "include (")


@pytest.mark.parametrize("password", ["x", "opensesame", "ünï cödé", "a" * 120])
def test_a_stored_password_is_known_again_and_another_is_not(password):
    assert passwords.matches(password, passwords.hashed(password), "9")
    assert not passwords.matches(password + "x", passwords.hashed(password), "9")
    assert passwords.revealed(passwords.hidden(password)) == password


def test_a_type_seven_password_of_a_real_device_is_read():
    assert passwords.revealed("094F471A1A0A") == "cisco"


def test_enable_asks_for_the_secret():
    device = paper("enable secret sesame")
    session = Session(device, privileged=False)
    session.enter("enable")
    assert session.prompt == "R1>"
    talk = session.stream("enable")
    question = next(talk)
    assert question.prompt == "Password: "
    assert question.secret
    with pytest.raises(StopIteration):
        talk.send("sesame")
    assert session.prompt == "R1#"


def test_the_running_config_of_one_interface_is_shown():
    shown = typed("conf t", "int gi0/0", "description to A", "end", "show run int g0/0", "show run int gi0/9")[1]
    assert shown[-2].endswith("!\ninterface GigabitEthernet0/0\n description to A\n no ip address\n shutdown\nend\n")
    assert shown[-1] == "% Invalid interface GigabitEthernet0/9\n"


def test_what_changes_the_device_has_no_pipe():
    said = typed("copy running-config flash:x | begin 10", "do show clock | begin 10")[1]
    assert said[0].splitlines()[0].index("^") == len("copy running-config flash:x ")
