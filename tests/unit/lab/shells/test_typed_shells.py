"""Commands typed to shells of this machine, on pseudo-terminals."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_netbench.errors import LabError
from pytest_netbench.lab.shells import hostside
from pytest_netbench.lab.shells.kept import KeptShell
from pytest_netbench.lab.shells.many import run_many
from pytest_netbench.lab.shells.shell import Shell
from tests.support.pty_lines import PtyLine

SHELLS = {"dash": ("dash", "-i"), "bash": ("bash", "--norc", "-i"), "busybox": ("busybox", "sh", "-i")}


@pytest.fixture(params=sorted(SHELLS))
def shell(request: pytest.FixtureRequest) -> Iterator[Shell]:
    argv = SHELLS[request.param]
    if shutil.which(argv[0]) is None:
        pytest.skip(f"this machine has no {argv[0]}")
    opened = Shell(PtyLine(argv), name="h")
    yield opened
    opened.close()


@pytest.fixture
def one() -> Iterator[Shell]:
    opened = Shell(PtyLine(SHELLS["dash"]), name="h")
    yield opened
    opened.close()


def test_outputs_come_apart_with_the_status(shell: Shell) -> None:
    done = shell.run("echo out; echo err >&2; printf 'no end'; exit 7")
    assert (done.stdout, done.stderr, done.returncode) == ("out\nno end", "err\n", 7)
    assert not done.truncated
    assert not done.timed_out


def test_text_passes_as_it_is(shell: Shell) -> None:
    text = "".join(map(chr, range(1, 128))) + "ä→𝄞\r\n\\n %s %b '\"$HOME` !! @;:=\x7f"
    assert shell.run("cat", input=text).stdout == text
    assert shell.run(f"printf %s '{text.replace(chr(39), '')}'").stdout == text.replace("'", "")


def test_a_command_has_an_empty_input_and_no_terminal(shell: Shell) -> None:
    done = shell.run("cat; (: </dev/tty) 2>/dev/null && echo terminal; tty")
    assert done.stdout == "not a tty\n"


def test_what_looks_like_an_answer_or_a_prompt_is_output(shell: Shell) -> None:
    text = "".join(f"@{hostside.number()}:0:3:0::;\nroot@h:~# \n$ " for _ in range(50))
    assert shell.run("cat", input=text).stdout == text
    assert shell.run("exit 5").returncode == 5


def test_a_command_that_takes_too_long_is_killed_and_the_shell_goes_on(shell: Shell) -> None:
    began = time.monotonic()
    done = shell.run("trap '' INT TERM; echo begun; sleep 60; sleep 60", timeout_s=0.5)
    assert time.monotonic() - began < 10
    assert done.timed_out
    assert done.stdout == "begun\n"
    assert shell.run("echo again").stdout == "again\n"


def test_a_long_command_a_large_input_and_a_large_output_pass(shell: Shell) -> None:
    assert shell.run("true\n" * 10_000 + "echo end").stdout == "end\n"
    assert shell.run("wc -c", input="x" * 100_000).stdout.strip() == "100000"
    large = shell.run("yes 0123456789 | head -c 1000000").stdout
    assert large == ("0123456789\n" * 100_000)[:1_000_000]


def test_a_long_output_is_cut_and_an_endless_one_ends(shell: Shell) -> None:
    done = shell.run("echo some; yes", output_bytes=1000, file_bytes=100_000)
    assert done.truncated
    assert len(done.stdout) == 1000
    assert done.returncode != 0


def test_bytes_that_are_no_text_come_back(shell: Shell) -> None:
    assert shell.run_bytes("printf '\\000\\377\\001'").stdout == b"\0\xff\x01"


def test_what_a_command_leaves_running_ends_with_it(one: Shell) -> None:
    left = int(one.run("sleep 600 >/dev/null 2>&1 & echo $!").stdout)
    ends_at = time.monotonic() + 5
    while Path(f"/proc/{left}").exists() and Path(f"/proc/{left}/stat").read_text().split()[2] != "Z":
        assert time.monotonic() < ends_at
        time.sleep(0.02)


def test_a_command_may_be_interrupted_by_its_own_signals(one: Shell) -> None:
    done = one.run("trap 'echo caught' INT; kill -INT $$; sh -c 'kill -INT $$; echo not reached'")
    assert done.stdout == "caught\n"


def test_several_programs_in_one_command_have_their_own_outputs(one: Shell) -> None:
    argvs = [["printf", "a b"], ["sh", "-c", "echo no >&2; exit 4"], ["cat"], ["no-such-program"]]
    first, second, third, fourth = run_many(one, argvs, timeout_s=10)
    assert (first.stdout, first.returncode) == ("a b", 0)
    assert (second.stdout, second.stderr, second.returncode) == ("", "no\n", 4)
    assert (third.stdout, third.returncode) == ("", 0)
    assert fourth.returncode == 127


def test_the_host_is_left_without_a_folder(tmp_path: Path) -> None:
    opened = Shell(PtyLine(SHELLS["bash"]), name="h")
    folder = Path(opened.run("echo $NETBENCH_DIR").stdout.strip())
    assert folder.stat().st_mode & 0o077 == 0
    opened.close()
    assert not folder.exists()


def test_a_host_that_dies_is_an_error_and_the_next_command_opens_a_new_line() -> None:
    lines: list[PtyLine] = []

    def connect() -> PtyLine:
        lines.append(PtyLine(SHELLS["bash"]))
        return lines[-1]

    kept = KeptShell("h", connect)
    folder = Path(kept.get().run("echo $NETBENCH_DIR").stdout.strip())
    threading.Timer(0.3, lines[0].process.kill).start()
    with pytest.raises(LabError):
        kept.get().run("sleep 600", timeout_s=20)
    assert kept.get().run("echo $NETBENCH_DIR").stdout.strip() != str(folder)
    assert len(lines) == 2
    kept.close()
    shutil.rmtree(folder, ignore_errors=True)


def test_a_line_whose_last_owner_was_killed_is_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_netbench.lab.shells.shell._PROMPT_S", 1)
    line = PtyLine(SHELLS["bash"])
    Shell(line, name="h")
    line.write("R 1 1000 9 - =sleep 600=\n")  # it was killed while this command ran
    second = Shell(line, name="h")
    assert second.run("echo there").stdout == "there\n"
    second.close()


def test_a_line_without_a_shell_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_netbench.lab.shells.shell._PROMPT_S", 0.2)
    with pytest.raises(LabError, match="h: the host shows no prompt of a shell"):
        Shell(PtyLine(["sh", "-c", "trap '' INT; sleep 60"]), name="h")


class NoisyLine(PtyLine):
    """A serial line on which the host's kernel prints, too."""

    def __init__(self, noise: bytes, every: int) -> None:
        super().__init__(SHELLS["dash"])
        self._noise, self._every, self._count = noise, every, 0

    def read(self) -> bytes:
        data = super().read()
        found = bytearray()
        for byte in data:
            self._count += 1
            if self._count % self._every == 0:
                found += self._noise
            found.append(byte)
        return bytes(found)


def test_messages_of_the_kernel_in_an_answer_are_taken_out() -> None:
    shell = Shell(NoisyLine(b"[   12.345678] eth0: link up; @x:;\r\n", every=37), name="h")
    assert shell.run("seq 1000; exit 3").stdout == "".join(f"{number}\n" for number in range(1, 1001))
    shell.close()


def test_a_damaged_answer_is_asked_for_again() -> None:
    shell = Shell(NoisyLine(b"Broadcast message\r\n", every=3001), name="h")
    for number in range(20):
        assert shell.run(f"echo {'x' * 300} {number}; exit 3").stdout == f"{'x' * 300} {number}\n"
    shell.close()


def without(*programs: str) -> PtyLine:
    """A line to a host that lacks programs."""
    if os.geteuid() != 0:
        pytest.skip("programs are hidden as root")
    hidden = " ".join(str(shutil.which(name)) for name in programs if shutil.which(name))
    script = f"for f in {hidden}; do mount --bind /dev/null $f; done; exec dash -i"
    return PtyLine(["unshare", "--mount", "sh", "-c", script])


def test_a_host_without_programs_of_the_encoding_is_refused() -> None:
    with pytest.raises(LabError, match="has neither base64, od nor hexdump"):
        Shell(without("base64", "od", "hexdump"), name="h")


@pytest.mark.parametrize("lacking", [["base64"], ["base64", "od"], ["base64", "md5sum"], ["stty"], ["setsid"]])
def test_a_host_may_lack_some_programs(lacking: list[str]) -> None:
    if "od" in lacking and shutil.which("hexdump") is None:
        pytest.skip("this machine has no hexdump")
    shell = Shell(without(*lacking), name="h")
    assert shell.run_bytes("printf 'a\\000\\377b'; exit 2").stdout == b"a\0\xffb"
    assert shell.run("sleep 60", timeout_s=0.3).timed_out
    assert shell.run("echo on").stdout == "on\n"
    shell.close()


def test_a_host_with_nothing_but_busybox_is_enough(tmp_path: Path) -> None:
    busybox = shutil.which("busybox")
    if busybox is None:
        pytest.skip("this machine has no busybox")
    subprocess.run([busybox, "--install", "-s", str(tmp_path)], check=True)
    shell = Shell(PtyLine([str(tmp_path / "sh"), "-i"], env={"PATH": str(tmp_path)}), name="h")
    assert shell.run("seq 3; exit 4").returncode == 4
    assert shell.run("sleep 60", timeout_s=0.3).timed_out
    assert shell.run("yes | head -c 200000 | wc -c").stdout.strip() == "200000"
    shell.close()


def test_a_command_killed_by_a_signal_has_the_status_of_a_shell(one: Shell) -> None:
    assert one.run("kill -9 $$").returncode == 128 + signal.SIGKILL
