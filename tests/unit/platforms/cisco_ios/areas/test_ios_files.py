"""The flash, ``copy``, and commands that compare and replace configurations, without a lab."""

from __future__ import annotations

import hashlib
from contextlib import suppress

import pytest

from pytest_netbench.platforms.cisco_ios.areas.files.differences import contextual, incremental
from pytest_netbench.platforms.cisco_ios.device.flash import SIZE, Flash
from pytest_netbench.platforms.cisco_ios.session.session import Session
from pytest_netbench.platforms.cisco_ios.terminal.console import IosConsole
from tests.support.ios import paper
from tests.support.terminal import ScriptedTerminal


def device_with(text: str = "", *lines: str):
    """Return a device that asks no questions, with ``text`` in flash:change.txt."""
    device = paper("file prompt quiet", *lines)
    Flash(device).store("change.txt", text.encode())
    return device


def say(device, line: str) -> str:
    return Session(device).enter(line)


def test_a_file_is_listed_with_its_size_and_what_is_free():
    shown = say(device_with("hostname R9\n"), "dir")
    assert shown.startswith("Directory of flash:/\n")
    assert " 12  " in shown
    assert shown.endswith(f"{SIZE} bytes total ({SIZE - 12} bytes free)\n")


def test_an_empty_flash_says_so():
    assert "No files in directory" in say(paper(), "dir flash:")


@pytest.mark.parametrize(
    "command",
    ["dir flash:/no.txt", "more flash:no.txt", "verify /md5 flash:no.txt", "copy flash:no.txt running-config"],
)
def test_a_file_that_is_not_there_is_named(command):
    word = next(word for word in command.split() if ":" in word)
    assert say(device_with(), command) == f"%Error opening {word} (No such file or directory)\n"


def test_more_shows_a_file():
    assert say(device_with("a\r\nb"), "more flash:/change.txt") == "a\nb\n"


def test_verify_gives_the_digest_and_judges_one():
    device = device_with("hostname R9\n")
    digest = hashlib.md5(b"hostname R9\n").hexdigest()
    assert say(device, "verify /md5 flash:change.txt").endswith(f"= {digest}\n")
    assert "Verified" in say(device, f"verify /md5 flash:change.txt {digest}")
    assert "%Error verifying" in say(device, "verify /md5 flash:change.txt 0000")


def test_delete_takes_a_file_away():
    device = device_with("x")
    assert say(device, "delete /force flash:change.txt") == ""
    assert Flash(device).names() == ()
    assert (
        say(device, "delete /force flash:change.txt")
        == "%Error deleting flash:change.txt (No such file or directory)\n"
    )


def test_a_copied_file_is_typed_line_by_line_and_refusals_are_shown():
    device = device_with("interface Loopback1\n description one\n nonsense\nend\n")
    shown = say(device, "copy flash:change.txt running-config")
    assert " nonsense\n" in shown
    assert "% Invalid input detected at '^' marker." in shown
    assert "51 bytes copied" in shown
    assert " description one" in device.running_config()


def test_the_running_config_can_be_kept_and_brought_back():
    device = device_with("", "hostname before")
    say(device, "copy running-config flash:kept.txt")
    kept = device.running_config()
    Session(device).enter("configure terminal")
    session = Session(device)
    for line in ("configure terminal", "hostname after", "interface Loopback5", "end"):
        session.enter(line)
    assert say(device, "configure replace flash:kept.txt force").startswith(
        "Total number of passes: 1\nRollback Done\n"
    )
    assert device.running_config() == kept


def test_a_file_with_a_wrong_line_replaces_nothing():
    device = device_with("hostname R9\nnonsense\n")
    before = device.running_config()
    assert "not a valid config file" in say(device, "configure replace flash:change.txt force")
    assert device.running_config() == before


def test_replace_without_force_asks_first_and_no_is_the_default():
    device = device_with("hostname R9\n")
    assert say(device, "configure replace flash:change.txt").rstrip().endswith("? [no]:")
    assert device.hostname == "R1"


def test_an_open_session_survives_a_replaced_config():
    device = device_with("hostname R9\n", "interface Loopback1")
    other = Session(device)
    for line in ("configure terminal", "interface Loopback1"):
        other.enter(line)
    say(device, "configure replace flash:change.txt force")
    assert other.enter("hostname R10") == ""
    assert device.hostname == "R10"


def test_copy_from_null_empties_a_file():
    device = device_with("x")
    say(device, "copy null: flash:change.txt")
    assert Flash(device).load("change.txt") == b""


def test_a_file_survives_in_the_start_up_config():
    device = device_with("hostname R9\n")
    say(device, "copy flash:change.txt startup-config")
    assert device.startup_config == "hostname R9\n"


def test_incremental_diffs_are_the_commands_that_are_new():
    device = device_with(
        "interface Loopback1\n description one\n ip address 10.0.0.1 255.255.255.255\n",
        "interface Loopback1",
        "description one",
    )
    shown = say(device, "show archive config incremental-diffs flash:change.txt ignorecase")
    assert shown == "!List of Commands:\ninterface Loopback1\n ip address 10.0.0.1 255.255.255.255\nend\n"


def test_what_a_new_section_has_of_itself_is_no_difference():
    shown = say(device_with("int lo70\n desc seventy\n"), "show archive config incremental-diffs flash:change.txt")
    assert shown == "!List of Commands:\ninterface Loopback70\n description seventy\nend\n"


def test_incremental_diffs_change_nothing():
    device = device_with("hostname R9\n")
    say(device, "show archive config incremental-diffs flash:change.txt")
    assert device.hostname == "R1"


def test_no_difference_is_said():
    device = device_with("hostname R1\n")
    assert "!No changes were found" in say(device, "show archive config incremental-diffs flash:change.txt")
    assert "!No changes were found" in say(
        device, "show archive config differences system:running-config system:running-config"
    )


def test_differences_name_the_lines_above_what_differs():
    before = [("interface A",), ("interface A", "mtu 1400"), ("interface B",)]
    after = [("interface A",), ("interface A", "mtu 1300"), ("interface B",)]
    assert contextual(before, after) == ["interface A", "- mtu 1400", "+ mtu 1300"]
    assert incremental(before, after) == ["interface A", " no mtu 1400", " mtu 1300"]


def test_a_section_that_goes_is_taken_away_at_its_head_only():
    before = [("interface A",), ("interface A", "mtu 1400")]
    assert incremental(before, []) == ["no interface A"]


def test_what_is_off_is_switched_on_again():
    assert incremental([("no ip routing",)], []) == ["ip routing"]


def test_the_archive_is_off_unless_it_has_a_path():
    assert say(paper(), "show archive") == "Archive feature not enabled\n"
    assert "maximum archive" in say(paper("archive", "path flash:kept"), "show archive")


def tcl(device, *lines: str) -> ScriptedTerminal:
    terminal = ScriptedTerminal(["enable\r", "x\r", *(f"{line}\r" for line in ("tclsh", *lines))])
    with suppress(EOFError):
        IosConsole(device, enable_secret="x").converse(terminal)
    return terminal


def test_a_file_is_written_from_tclsh_with_its_indentation():
    device = paper()
    tcl(device, 'puts [open "flash:a.txt" w+] {interface Loopback1', " description one", "}", "tclquit")
    assert Flash(device).load("a.txt") == b"interface Loopback1\n description one\n\n"


def test_a_text_on_one_line_ends_there():
    device = paper()
    terminal = tcl(device, 'puts [open "flash:a.txt" w+] {hostname R9}', "tclquit")
    assert Flash(device).load("a.txt") == b"hostname R9\n"
    assert terminal.screen.endswith("R1(tcl)#tclquit\nR1#")


def test_tclsh_runs_exec_commands_and_asks_their_questions():
    terminal = tcl(paper(), "show privilege", "copy running-config flash:b.txt", "c.txt", "dir", "tclquit")
    assert "R1(tcl)#show privilege\nCurrent privilege level is 15\nR1(tcl)#" in terminal.screen
    assert "Destination filename [b.txt]? c.txt" in terminal.screen
    assert "  c.txt\n" in terminal.screen


def test_tclsh_writes_to_flash_only():
    assert 'couldn\'t open "tftp://x/y"' in tcl(paper(), 'puts [open "tftp://x/y" w] {text}').screen


def test_without_a_terminal_there_is_no_tclsh():
    assert say(paper(), "tclsh") == "% tclsh is for those who are logged in\n"


def test_a_full_flash_takes_no_more():
    flash = Flash(paper())
    flash.store("a", bytes(SIZE))
    with pytest.raises(OSError, match="No space left on device"):
        flash.store("b", b"x")
    flash.store("a", bytes(SIZE - 1))
    assert flash.free == 1


def test_files_survive_another_session_s_look():
    device = device_with("x")
    assert Flash(device).load("change.txt") == b"x"
