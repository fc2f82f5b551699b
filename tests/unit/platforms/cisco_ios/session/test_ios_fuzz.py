"""A hundred thousand random lines: none raises or hangs, and the running config contains the whole configuration."""

from __future__ import annotations

import difflib
import time
from collections.abc import Sequence

import pytest

from pytest_netbench.catching import Caught
from pytest_netbench.platforms.cisco_ios.areas import grammar
from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from pytest_netbench.platforms.cisco_ios.compile.state import DesiredState
from tests.support.ios import PaperDevice, Session, paper, render
from tests.support.ios_fuzz import Fuzz

_PORTS = ("Gi0/0", "Gi0/1", "Serial0/0")
_LINES, _CHUNK, _LONGEST_CONFIG = 10_000, 500, 600
_SEEDS = [(role, seed) for role in ("router", "switch") for seed in range(5)]


@pytest.mark.parametrize(("role", "seed"), _SEEDS)
def test_ten_thousand_random_lines_leave_a_config_that_means_the_same_after_a_reload(role: str, seed: int) -> None:
    device = _device(role)
    fuzz = Fuzz(grammar(), seed=seed, role=device.role)
    for at in range(0, _LINES, _CHUNK):
        before = render(device.config)
        typed = _typed(device, fuzz, f"{role}, seed {seed}, line {at}")
        wrong = _wrong(device)
        if wrong:
            line, wrong = _first_wrong(role, before, typed) or ("(all of them together)", wrong)
            pytest.fail(f"{role}, seed {seed}, lines {at}-{at + _CHUNK}: after {line!r}:\n{wrong}")
        if before.count("\n") > _LONGEST_CONFIG:
            device = _device(role)


def _device(role: str, startup: str = "") -> PaperDevice:
    return paper(interfaces=_PORTS, role=role, startup=startup)


def _session(device: PaperDevice) -> Session:
    session = Session(device)
    session.enter("configure terminal")
    return session


def _typed(device: PaperDevice, fuzz: Fuzz, where: str) -> list[str]:
    """Type a chunk of lines and return them."""
    session = _session(device)
    typed: list[str] = []
    for line in fuzz.lines(_CHUNK, lambda: session.mode):
        typed.append(line)
        if session.mode == "exec":
            session.enter("configure terminal")
        if not line.startswith("do "):
            _type(session, line, f"{where} + {len(typed)}")
    return typed


def _type(session: Session, line: str, where: str) -> None:
    began = time.process_time()
    try:
        session.enter(line)
    except Exception as error:
        raise AssertionError(f"{where}: {line!r} in mode {session.mode} raised {error!r}") from error
    assert time.process_time() - began < 2.0, f"{where}: {line!r} took too long"


def _wrong(device: PaperDevice) -> str:
    """Return what a reload would change, or why the config is invalid; "" if neither."""
    text = render(device.config)
    with Caught(Exception) as caught:
        plan = _plan(device)
        assert plan == _plan(device), "compiled twice, it gives two plans"
        again = _device(device.role, text)
    if caught.error is not None:
        return f"{caught.error!r}\n{_innermost(caught.error)}"
    lines = difflib.unified_diff(
        text.splitlines(), render(again.config).splitlines(), "before", "after", lineterm="", n=2
    )
    changed = "\n".join(lines)
    return changed or (
        "" if _plan(again) == plan else f"the plan is another after a reload: {_apart(plan, _plan(again))}"
    )


def _plan(device: PaperDevice) -> DesiredState:
    return compile_state(device.grammar, device.config, device.facts)


def _innermost(error: BaseException) -> str:
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    return f"{frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}" if frame else ""


def _apart(one: DesiredState, other: DesiredState) -> str:
    return "; ".join(
        f"{name}: {getattr(one, name)!r:.1500} / {getattr(other, name)!r:.1500}"
        for name in vars(one)
        if getattr(one, name) != getattr(other, name)
    )


def _first_wrong(role: str, before: str, typed: Sequence[str]) -> tuple[str, str] | None:
    """Return the first line that causes an error when typed on a new device."""
    if not _wrong_after(role, before, typed):
        return None
    good, bad = 0, len(typed)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (good, middle) if _wrong_after(role, before, typed[:middle]) else (middle, bad)
    return typed[bad - 1], _wrong_after(role, before, typed[:bad])


def _wrong_after(role: str, before: str, typed: Sequence[str]) -> str:
    device = _device(role, before)
    session = _session(device)
    for line in typed:
        if session.mode == "exec":
            session.enter("configure terminal")
        if not line.startswith("do "):
            session.enter(line)
    return _wrong(device)


def test_a_remark_twice_and_one_before_a_numbered_line_keep_their_places() -> None:
    device = paper("ip access-list extended F", "7 remark a", "remark a", "9 permit ip any any", "exit")
    again = _device("router", render(device.config))
    assert "ip access-list extended F\n remark a\n remark a\n 9 permit ip any any\n" in render(again.config)


def test_object_groups_that_hold_each_other_end_at_once() -> None:
    names = [f"G{at}{side}" for at in range(40) for side in "ab"]
    lines = [line for name in names for line in (f"object-group network {name}", "host 10.0.0.1", "exit")]
    for at in range(1, 40):
        for side in "ab":
            lines += [
                f"object-group network G{at}{side}",
                f"group-object G{at - 1}a",
                f"group-object G{at - 1}b",
                "exit",
            ]
    began = time.process_time()
    _plan(paper(*lines))
    assert time.process_time() - began < 5.0


def test_a_number_beyond_the_last_is_refused() -> None:
    session = _session(paper("ip access-list extended F", "2147483647 permit tcp any any"))
    session.enter("ip access-list extended F")
    assert session.enter("permit udp any any") == "% Sequence number exceeds the maximum\n"
    session.enter("exit")
    session.enter("access-list 10 permit any")
    session.enter("access-list 10 permit 10.0.0.1")
    assert session.enter("ip access-list resequence 10 2147483647 10") == "% Sequence number exceeds the maximum\n"


@pytest.mark.parametrize(
    ("lines", "last", "words"),
    [
        ((), "ip community-list 100 permit [65000", "% Malformed community-list value\n"),
        ((), "ip community-list expanded C permit *", "% Malformed community-list value\n"),
        ((), "ip as-path access-list 1 permit a#", "% Invalid regular expression: an AS path has digits alone\n"),
        (("interface gi0/0",), "mac-address 0100.5e00.0001", "% Invalid MAC address: it is no station's\n"),
        ((), "no logging", "% Incomplete command.\n"),
    ],
)
def test_what_no_node_could_take_is_refused_when_typed(lines: tuple[str, ...], last: str, words: str) -> None:
    session = _session(_device("router"))
    for line in lines:
        session.enter(line)
    assert session.enter(last) == words


def test_interfaces_end_at_two_thousand() -> None:
    session = _session(_device("router"))
    refused = [session.enter(f"interface Loopback{number}") for number in range(2000)]
    assert refused[-1] == "% Maximum number of interfaces reached\n"


def test_a_class_cannot_hold_itself_by_way_of_another() -> None:
    device = paper("class-map match-any A", "class-map match-any B", "match class-map A", "class-map match-any A")
    session = _session(device)
    session.enter("class-map match-any A")
    assert "Invalid input" in session.enter("match class-map B")
    for line in ("policy-map P", "class B", "set dscp ef", "interface gi0/0", "service-policy output P"):
        session.enter(line)
    _plan(device)


def test_a_class_is_no_deeper_than_the_kernels_chains() -> None:
    session = _session(paper("class-map match-all A"))
    session.enter("class-map match-all A")
    said = [session.enter(f"match packet length min {size}") for size in range(1, 12)]
    assert said == [*[""] * 10, "% A class map may have 10 match criteria that all must hold\n"]
