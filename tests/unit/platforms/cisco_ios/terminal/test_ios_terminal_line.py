"""The keys of an IOS terminal line, on a device without a lab."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_netbench.platforms.access import Completed
from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.terminal.console import IosConsole
from tests.support.ios import paper
from tests.support.terminal import ScriptedTerminal

SECRET = "open sesame"


def typed(*script, device: Device | None = None, privileged=True, rows=0, **settings) -> ScriptedTerminal:
    """Return the terminal after a user who is logged in and in privileged mode typed ``script``."""
    login = ["enable\r", f"{SECRET}\r"] if privileged else []
    terminal = ScriptedTerminal([*login, *script], rows=rows, **settings)
    with pytest.raises(EOFError):
        IosConsole(device or paper(), enable_secret=SECRET).converse(terminal)
    return terminal


def last_line(terminal) -> str:
    return terminal.screen.splitlines()[-1]


def entered(terminal) -> list[str]:
    return [one.line for one in terminal.entered if one.line != "enable"]


def test_a_login_ends_in_user_mode():
    assert typed(privileged=False).shown == "\r\nR1>"


def test_enable_asks_for_the_secret_without_showing_it():
    terminal = typed("enable\r", f"{SECRET}\r", privileged=False)
    assert terminal.shown == "\r\nR1>enable\r\nPassword: \r\nR1#"


def test_three_wrong_secrets_leave_user_mode():
    terminal = typed("enable\r", "a\r", "b\r", "c\r", privileged=False)
    assert terminal.screen.endswith("Password:\nPassword:\nPassword:\n% Bad secrets\n\nR1>")


def test_a_secret_never_reaches_the_record():
    terminal = typed()
    assert all(SECRET not in one.line + one.output for one in terminal.entered)


def test_enable_takes_the_configured_secret_too():
    terminal = typed("en\r", "configured\r", device=paper("enable secret configured"), privileged=False)
    assert last_line(terminal) == "R1#"


def test_user_mode_does_not_know_privileged_commands():
    terminal = typed("show running-config\r", privileged=False)
    assert "% Invalid input detected at '^' marker." in terminal.shown


@pytest.mark.parametrize("enter", ["\r", "\n", "\r\n"])
def test_enter_is_enter_however_a_client_sends_it(enter):
    assert entered(typed(f"show clock{enter}show privilege{enter}")) == ["show clock", "show privilege"]


def test_carriage_return_and_line_feed_may_come_apart():
    terminal = typed("show privilege\r", "\nshow clock\r", "\n")
    assert entered(terminal) == ["show privilege", "show clock"]
    assert "R1#\nR1#" not in terminal.screen


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ("show clokc\x7f\x7fck", "show clock"),
        ("show clokc\x08\x08ck", "show clock"),
        ("nonsense\x15show clock", "show clock"),
        ("show nonsense\x17clock", "show clock"),
        ("how clock\x01s\x05", "show clock"),
        ("show cock\x02\x02\x02l", "show clock"),
        ("show cock\x1b[D\x1b[D\x1b[Dl", "show clock"),
        ("show cxlock\x02\x02\x02\x02\x02\x04", "show clock"),
        ("show clock detail\x1bb\x0b", "show clock"),
        ("clock\x18show \x19", "show clock"),
        ("show lcock\x02\x02\x02\x02\x14", "show clock"),
        ("show cloc\x06k", "show clock"),
        ("x\x1b[Dshow clock\x1b[3~", "show clock"),
        ("clock\x1bOHshow \x1bOF", "show clock"),
    ],
)
def test_a_key_edits_the_line_and_what_is_seen_of_it(keys, line):
    terminal = typed(keys, "\x0c", "\r")
    assert [one.strip() for one in entered(terminal)] == [line]
    before, _, _ = terminal.screen.partition("\n*")
    assert before.splitlines()[-1].rstrip() == f"R1#{line}"
    assert before.splitlines()[-2].rstrip() == f"R1#{line}"


def test_arrows_bring_earlier_lines_back():
    terminal = typed("show clock\r", "show privilege\r", "\x1b[A\x1b[A\r", "\x10\x10\x0e\r")
    assert entered(terminal) == ["show clock", "show privilege", "show clock", "show clock"]


def test_a_line_half_typed_is_not_lost_to_the_history():
    assert entered(typed("show clock\r", "show priv\x10\x0eilege\r"))[-1] == "show privilege"


def test_a_question_mark_is_answered_at_once_and_the_line_shown_again():
    terminal = typed("show clo?", "ck\r")
    assert "R1#show clo?\nclock\n\nR1#show clock\n" in terminal.screen
    assert entered(terminal) == ["show clock"]


def test_a_question_mark_after_a_blank_lists_what_may_come():
    terminal = typed("terminal ?", "\x15")
    assert "R1#terminal ?\n  history  Enable and control the command history function\n" in terminal.screen
    assert terminal.screen.endswith("\n\nR1#")


def test_a_question_mark_behind_control_v_is_a_character():
    assert entered(typed("conf t\r", "hostname a\x16?\r"))[-1] == "hostname a?"


def test_help_in_user_mode_offers_only_what_it_has():
    assert "configure" not in typed("?", privileged=False).shown


def test_tab_completes_a_word_on_a_line_below():
    terminal = typed("sh\tclo\t\r")
    assert "R1#sh\nR1#show clo\nR1#show clock\n" in terminal.screen
    assert entered(terminal)[0].split() == ["show", "clock"]


def test_tab_leaves_a_word_that_may_be_several():
    assert typed("c\t").screen.endswith("R1#c\nR1#c")


def test_control_c_drops_the_line_and_leaves_config_mode():
    terminal = typed("conf t\r", "interface Loopback1\r", "hostna\x03")
    assert terminal.screen.endswith("R1(config-if)#hostna^C\nR1#")


def test_control_z_enters_the_line_and_leaves_config_mode():
    device = paper()
    terminal = typed("conf t\r", "hostname R9\x1a", device=device)
    assert terminal.screen.endswith("R1(config)#hostname R9^Z\nR9#")
    assert "hostname R9" in device.running_config()


def test_output_waits_at_the_end_of_a_page():
    terminal = typed("show running-config\r", rows=10)
    shown = terminal.screen.split("show running-config\n")[1]
    assert shown.splitlines()[-1] == " --More--"
    assert len(shown.splitlines()) == 10


def test_blank_shows_a_page_more_and_enter_a_line():
    def lines(*keys):
        text = typed("show running-config\r", *keys, rows=10).screen.split("show running-config\n")[1]
        return len([line for line in text.splitlines() if "--More--" not in line])

    assert (lines(), lines("\r"), lines(" ")) == (9, 10, 18)


def test_any_other_key_ends_the_output():
    terminal = typed("show running-config\r", "q", "show clock\r", rows=10)
    assert terminal.screen.splitlines()[-1] == "R1#"
    assert entered(terminal) == ["show running-config", "show clock"]


def test_the_sign_of_a_further_page_is_wiped_out():
    terminal = typed("show running-config\r", "q", rows=10)
    assert "--More--" not in terminal.screen


def test_terminal_length_0_shows_all_at_once():
    terminal = typed("terminal length 0\r", "show running-config\r", rows=10)
    assert "--More--" not in terminal.shown
    assert terminal.screen.endswith("\nend\nR1#")


def test_pages_hold_for_do_as_well():
    assert typed("conf t\r", "do show running-config\r", rows=10).screen.endswith(" --More--")


def test_reload_asks_and_any_key_but_enter_and_y_keeps_the_device_running():
    terminal = typed("reload\r", "n")
    assert terminal.screen.endswith("R1#reload\nProceed with reload? [confirm]\nR1#")


@pytest.mark.parametrize("key", ["\r", "y"])
def test_a_reload_ends_the_session(key):
    device = paper("hostname R5")
    terminal = ScriptedTerminal(["enable\r", f"{SECRET}\r", "reload\r", key, "show clock\r"])
    IosConsole(device, enable_secret=SECRET).converse(terminal)
    assert terminal.script == ["show clock\r"]
    assert device.hostname == "R1"


def test_copy_run_start_asks_for_the_name():
    device = paper("hostname R1")
    terminal = typed("copy running-config startup-config\r", "\r", device=device)
    assert "Destination filename [startup-config]?" in terminal.screen
    assert "[OK]" in terminal.screen
    assert device.startup_config == device.running_config()


def test_an_answer_may_hold_a_question_mark():
    assert "  what?\n" in typed("copy running-config flash:x\r", "what?\r", "dir\r").screen


def test_a_banner_is_typed_over_several_lines_and_its_lines_are_not_commands():
    device = paper()
    typed("conf t\r", "banner motd #\r", "who goes there?\r", "#\r", "end\r", device=device)
    assert "who goes there?" in device.running_config()


def test_lines_are_told_apart_by_what_they_ask_for():
    terminal = typed(
        "terminal length 0\r", "show clock\r", "conf t\r", "hostname R2\r", "do show clock\r", "exit\r", "write\r"
    )
    assert [(one.line, one.kind) for one in terminal.entered] == [
        ("enable", "session"),
        ("terminal length 0", "session"),
        ("show clock", "read"),
        ("conf t", "session"),
        ("hostname R2", "configure"),
        ("do show clock", "read"),
        ("exit", "session"),
        ("write", "configure"),
    ]


def test_a_refused_line_of_configuration_is_noted_with_the_device_s_words():
    terminal = typed("conf t\r", "hostnam\r", "interface Loopback1\r")
    assert [bool(one.refused) for one in terminal.entered[2:]] == [True, False]
    assert terminal.entered[2].refused.startswith("% Incomplete command.")


def test_a_line_that_is_not_permitted_is_not_carried_out_and_says_why():
    device = paper()
    terminal = typed("conf t\r", "hostname forbidden\r", device=device, forbidden="forbidden")
    assert "% netbench: hostname forbidden is not permitted\n" in terminal.screen
    assert device.hostname == "R1"


def test_exit_logs_out():
    terminal = ScriptedTerminal(["exit\r", "show clock\r"])
    IosConsole(paper(), enable_secret=SECRET).converse(terminal)
    assert terminal.script == ["show clock\r"]


def test_whoever_hangs_up_in_config_mode_leaves_what_was_configured():
    device = paper()
    typed("conf t\r", "hostname R7\r", device=device)
    assert device.hostname == "R7"


def test_a_command_without_a_dialogue_is_answered_and_done():
    terminal = ScriptedTerminal()
    assert IosConsole(paper(), enable_secret=SECRET).execute(terminal, "show privilege") == 0
    assert terminal.shown == "\r\nCurrent privilege level is 1\r\n"


def test_the_caret_stands_below_the_wrong_word():
    lines = typed("show nonsense\r").screen.splitlines()
    at = lines.index("R1#show nonsense")
    assert lines[at + 1].index("^") == lines[at].index("nonsense")


def test_a_line_of_any_length_harms_nothing():
    terminal = typed("x" * 10_000, "\r", "show privilege\r")
    assert len(entered(terminal)[0]) == 4_096
    assert "Current privilege level is 15" in terminal.screen


def test_unknown_keys_ring_the_bell():
    assert typed("\x1b[9~\x1bz\x0f").shown.count("\a") == 3


class Slow:
    """A node whose ``ping`` answers while a user presses Ctrl-C."""

    def __init__(self, node, terminal) -> None:
        self.name, self.role, self.peers, self.memory = node.name, node.role, {}, {}
        self.interfaces, self.time_scale = node.interfaces, 1.0
        self.terminal = terminal
        self.sent = 0

    def run(self, argv, *, timeout_s=30.0):
        count = int(argv[argv.index("-c") + 1])
        self.sent += count
        self.terminal.waits = True
        lines = [f"64 bytes from 10.0.0.1: icmp_seq={number + 1} ttl=64 time=0.1 ms" for number in range(count)]
        return Completed(stdout="\n".join(lines), stderr="", returncode=0)


@pytest.mark.parametrize("key", ["\x03", "\x1e"])
def test_a_ping_is_stopped_by_a_key_and_says_what_it_has_seen(key):
    class Impatient(ScriptedTerminal):
        waits = False

        @property
        def waiting(self):
            return self.waits and bool(self.script)

    device = paper()
    terminal = Impatient(["ping 10.0.0.1 repeat 1000\r", key])
    device.node = Slow(device.node, terminal)
    with pytest.raises(EOFError):
        IosConsole(device, enable_secret=SECRET).converse(terminal)
    assert device.node.sent == 5
    assert terminal.screen.endswith("!!!!!\nSuccess rate is 100 percent (5/5), round-trip min/avg/max = 1/1/1 ms\nR1>")


@given(
    st.lists(
        st.text(
            st.sampled_from(
                "ab ?\t\r\n\x03\x1a\x7f\x08\x01\x02\x04\x05\x06"
                "\x0b\x0c\x0e\x10\x12\x14\x15\x16\x17\x18\x19\x1b[ABCDO~3é\0|"
            ),
            max_size=20,
        ),
        max_size=8,
    )
)
@settings(max_examples=150, deadline=None)
def test_no_keys_harm_the_line(chunks):
    terminal = ScriptedTerminal([*chunks, "\x15\r", "show privilege\r"], rows=0)
    with suppress(EOFError):
        IosConsole(paper(), enable_secret=SECRET).converse(terminal)
    assert terminal.script == []


@given(
    st.lists(
        st.sampled_from(
            [
                "conf t",
                "int lo1",
                "int range gi0/0 - 1",
                "no shut",
                "hostname x",
                "do sh ver",
                "end",
                "exit",
                "sh run",
                "banner motd #",
                "x#",
                "enable",
                SECRET,
                "reload",
                "router ospf 1",
                "?",
                "no",
                "default int lo1",
                "copy run start",
                "write",
                "dir",
                "terminal length 3",
                "q",
                " ",
                "",
                "configure replace flash:x",
                "ip access-list extended A",
                "permit ip any any",
                "line vty 0 4",
            ]
        ),
        max_size=25,
    )
)
@settings(max_examples=60, deadline=None)
def test_no_lines_in_any_order_harm_the_session(lines):
    device = paper()
    terminal = ScriptedTerminal([f"{line}\r" for line in lines], rows=5)
    with suppress(EOFError):
        IosConsole(device, enable_secret=SECRET).converse(terminal)
    assert device.running_config().startswith("!\nversion")
