"""SSH to the devices of a lab in memory, by a real client: logins, the guard, what is told and what is left."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import stat
import threading
from contextlib import suppress
from pathlib import Path

import asyncssh
import pytest

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.ssh import open_ssh
from pytest_netbench.errors import AniError, RequirementMissing
from pytest_netbench.model.task import Budget
from tests.support.login import LoginDriver
from tests.support.memory_lab import DIALECTS, chain

EVERYTHING = Policy()
UNLIMITED = {"calls": None, "commands": None, "wall_s": None}


@pytest.fixture
def opened():
    """A function that opens SSH on a new lab in memory."""
    anis = []

    def open_one(*, policy=EVERYTHING, driver=None, **limits):
        ani = AgentInterface(
            chain(driver=driver or LoginDriver()),
            policy=policy,
            budget=Budget(**(UNLIMITED | limits)),
            dialects=DIALECTS,
        )
        anis.append(ani)
        return ani, open_ssh(ani)

    yield open_one
    for ani in anis:
        ani.close()


def connect(login, **settings):
    wanted = {"username": login.username, "password": login.password, "known_hosts": None, "config": None} | settings
    return asyncssh.connect(login.host, login.port, agent_path=None, client_keys=None, **wanted)


def run(login, *commands: str, **settings) -> list[asyncssh.SSHCompletedProcess]:
    async def main():
        async with connect(login, **settings) as connection:
            return [await connection.run(command) for command in commands]

    return asyncio.run(main())


def converse(login, *script: tuple[str, str], **settings) -> str:
    """Return the output seen while waiting for each text and then typing the next; the last text is waited for."""

    async def main():
        seen = ""
        async with connect(login) as connection:
            settings.setdefault("term_type", "xterm")
            process = await connection.create_process(encoding="utf-8", **settings)
            at = 0
            for wanted, keys in script:
                while wanted not in seen[at:]:
                    piece = await process.stdout.read(65536)
                    if not piece:
                        raise AssertionError(f"{wanted!r} did not come: {seen!r}")
                    seen += piece
                at = len(seen)
                process.stdin.write(keys)
            seen += await process.stdout.read()
        return seen

    return asyncio.run(asyncio.wait_for(main(), 20))


def lines(ani) -> list[str]:
    return [step.data["params"]["line"] for step in ani.steps if step.kind == "ani"]


def test_each_device_answers_on_a_port_of_its_own(opened):
    _, access = opened()
    assert [run(login, "hello")[0].stdout for login in access.hosts.values()] == ["HELLO\r\n"] * 3
    assert len({login.port for login in access.hosts.values()}) == 3


def test_a_dialogue_goes_on_until_the_console_ends_it(opened):
    _, access = opened()
    seen = converse(access.hosts["edge"], ("edge> ", "one\r"), ("ONE\r\nedge> ", "bye\r"))
    assert seen == "edge> ONE\r\nedge> BYE\r\nedge> "


def test_the_exit_status_of_a_command_is_the_console_s(opened):
    _, access = opened()
    assert run(access.hosts["edge"], "seven")[0].exit_status == 7


@pytest.mark.parametrize("wrong", [{"password": "x"}, {"username": "root"}])
def test_a_wrong_login_is_refused(opened, wrong):
    _, access = opened()
    with pytest.raises(asyncssh.PermissionDenied):
        run(access.hosts["edge"], "hello", **wrong)


def test_the_host_key_is_the_one_that_was_told(opened):
    _, access = opened()
    login = access.hosts["edge"]
    known = asyncssh.import_known_hosts(f"[{login.host}]:{login.port} {login.host_key}\n")
    assert run(login, "hello", known_hosts=known)[0].stdout == "HELLO\r\n"


def test_two_labs_have_nothing_in_common(opened):
    first, second = (opened()[1].hosts["edge"] for _ in range(2))
    assert first.password != second.password
    assert first.enable_secret != second.enable_secret
    assert first.host_key != second.host_key


def test_the_console_is_told_the_enable_secret_and_the_size_of_the_window(opened):
    _, access = opened()
    login = access.hosts["edge"]
    seen = converse(login, ("> ", "secret\r"), ("> ", "size\r"), ("> ", "bye\r"), term_size=(132, 43))
    assert login.enable_secret in seen
    assert "132x43" in seen


def test_nothing_but_loopback_is_listened_on(opened):
    _, access = opened()
    login = access.hosts["edge"]
    others = {address[4][0] for address in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {
        "127.0.0.1"
    }
    for address in {*others, "127.0.0.2"}:
        with socket.socket() as probe:
            probe.settimeout(1)
            assert probe.connect_ex((address, login.port)) != 0


def test_the_inventory_says_what_the_brief_says_and_only_its_owner_may_read_it(opened):
    ani, access = opened()
    path = Path(access.inventory)
    assert json.loads(path.read_text())["hosts"]["edge"] == access.hosts["edge"].model_dump()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert ani.ssh is access


def test_closing_leaves_no_thread_no_port_and_no_file(opened):
    before = set(threading.enumerate())
    ani, access = opened()
    run(access.hosts["edge"], "hello")
    ani.close()
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
    assert set(threading.enumerate()) <= before
    assert not Path(access.inventory).parent.exists()
    with pytest.raises(OSError, match=r"refused|Connect call failed"):
        run(access.hosts["edge"], "hello")


def test_closing_ends_the_sessions_that_are_open(opened):
    ani, access = opened()

    async def main():
        async with connect(access.hosts["edge"]) as connection:
            process = await connection.create_process(term_type="xterm")
            await process.stdout.readuntil("> ")
            process.stdin.write("wait\r")
            await process.stdout.readuntil("WAIT\r\n")
            await asyncio.to_thread(ani.close)
            return await process.stdout.read()

    assert asyncio.run(asyncio.wait_for(main(), 20)) == ""


def test_a_line_is_recorded_with_what_the_device_showed(opened):
    ani, access = opened()
    run(access.hosts["edge"], "hello")
    (step,) = ani.steps
    assert step.kind == "ani"
    assert step.data["method"] == "console"
    assert step.data["params"] == {"device": "edge", "session": "ssh-1", "line": "hello", "kind": "read"}
    assert step.data["result"] == {"output": "HELLO\n"}


def test_each_login_is_a_session_of_its_own(opened):
    ani, access = opened()
    run(access.hosts["edge"], "a", "b")
    assert [step.data["params"]["session"] for step in ani.steps] == ["ssh-1", "ssh-2"]


def test_lines_are_counted_as_requests_are(opened):
    ani, access = opened()
    script = ["read\r", "set a\r", "set b\r", "read again\r", "set c\r", "\r", "bye\r"]
    converse(access.hosts["edge"], *(("> ", keys) for keys in script))
    assert (ani.budget_used.calls, ani.budget_used.commands) == (4, 5)


def test_configuration_is_noted_with_what_the_device_said_of_it(opened):
    ani, access = opened()
    converse(access.hosts["edge"], ("> ", "set a\r"), ("> ", "set nonsense\r"), ("> ", "bye\r"))
    assert [(one.command, one.status, one.message) for one in ani.commands] == [
        ("set a", "success", ""),
        ("set nonsense", "error", "% nonsense"),
    ]


def test_beyond_the_budget_a_line_is_answered_with_why_it_is_not_run(opened):
    ani, access = opened(commands=1)
    first, second, third = run(access.hosts["edge"], "one", "two", "three")
    assert first.stdout == "ONE\r\n"
    assert second.stdout == third.stdout
    assert second.stdout.startswith("% netbench: budget exhausted: commands")
    assert lines(ani) == ["one", "two"]


def test_a_device_that_is_not_permitted_does_not_listen(opened):
    _, access = opened(policy=Policy(devices=frozenset({"web"})))
    assert list(access.hosts) == ["web"]


def test_a_lab_without_a_command_line_says_so(opened):
    ani = AgentInterface(chain(), policy=Policy(), budget=Budget(), dialects=DIALECTS)
    with pytest.raises(RequirementMissing, match=r"no device of this lab .* has a command line to log in to"):
        open_ssh(ani)


def test_a_console_that_fails_ends_the_session_and_is_noted_while_the_node_is_well(opened):
    ani, access = opened()
    assert run(access.hosts["edge"], "crash")[0].exit_status == 255
    assert ani.lab_error is None
    assert ani.steps[-1].data["text"] == "edge: a session ended by an error: a bug of the console"


def test_a_device_that_an_agent_hangs_does_not_void_its_trial(opened):
    ani, access = opened()
    run(access.hosts["edge"], "hang")
    assert ani.lab_error is None
    assert ani.steps[-1].data["text"] == "edge: a session ended by an error: no answer"


def test_a_device_that_has_no_command_line_at_the_moment_says_why(opened):
    class Gone(LoginDriver):
        def console(self, node, *, enable_secret, read_only=False):
            raise AniError(f"{node.name}: it is gone")

    ani, access = opened(driver=Gone())
    (answer,) = run(access.hosts["edge"], "hello")
    assert (answer.stdout, answer.exit_status) == ("% netbench: edge: it is gone\r\n", 255)
    assert ani.lab_error is None


def test_a_flood_of_output_reaches_a_slow_reader_whole(opened):
    _, access = opened()
    assert len(run(access.hosts["edge"], "flood")[0].stdout) == 4_000_002


def test_of_a_flood_the_record_keeps_the_beginning(opened):
    ani, access = opened()
    run(access.hosts["edge"], "flood")
    assert len(ani.steps[0].data["result"]["output"]) < 70_000


def test_whoever_leaves_in_the_middle_of_a_flood_harms_nobody(opened):
    ani, access = opened()

    async def main():
        connection = await connect(access.hosts["edge"])
        process = await connection.create_process("flood")
        await process.stdout.read(10)
        connection.abort()

    asyncio.run(main())
    assert run(access.hosts["edge"], "hello")[0].stdout == "HELLO\r\n"
    ani.close()
    assert ani.lab_error is None


def test_sessions_are_bounded(opened, monkeypatch):
    monkeypatch.setattr("pytest_netbench.lab.ssh.session.MAX_SESSIONS", 2)
    _, access = opened()

    async def main():
        async with connect(access.hosts["edge"]) as connection:
            for _ in range(2):
                process = await connection.create_process(term_type="xterm")
                await process.stdout.readuntil("> ")
            refused = await connection.run("hello")
            return refused.exit_status, refused.stderr

    assert asyncio.run(main()) == (255, "too many sessions: at most 2 at a time\r\n")


def test_keys_that_are_no_text_are_taken_as_they_can_be(opened):
    _, access = opened()

    async def main():
        async with connect(access.hosts["edge"]) as connection:
            process = await connection.create_process(term_type="xterm", encoding=None)
            process.stdin.write(b"caf\xc3\xa9 \xff\xfe\r")
            return await process.stdout.readuntil(b"\r\nedge> ")

    assert "CAFÉ \ufffd\ufffd" in asyncio.run(main()).decode()


@pytest.fixture
def driver():
    return LoginDriver()


def copy(login, source, target, *, upload: bool) -> None:
    async def main():
        async with connect(login) as connection:
            where = (source, (connection, target)) if upload else ((connection, source), target)
            await asyncssh.scp(*where)

    asyncio.run(main())


@pytest.mark.parametrize("name", ["change.txt", "flash:change.txt", "flash:/change.txt", "/change.txt"])
def test_a_file_is_copied_to_a_device_whatever_the_path_is_called(opened, driver, tmp_path, name):
    ani, access = opened(driver=driver)
    (tmp_path / "change.txt").write_bytes(b"x" * 100_000)
    copy(access.hosts["edge"], tmp_path / "change.txt", name, upload=True)
    assert driver.stores["edge"].kept["change.txt"] == b"x" * 100_000
    assert lines(ani) == ["write change.txt"]


def test_a_file_is_copied_from_a_device_and_that_is_a_call(opened, tmp_path):
    ani, access = opened()
    copy(access.hosts["edge"], "welcome.txt", tmp_path / "here.txt", upload=False)
    assert (tmp_path / "here.txt").read_bytes() == b"hello\n"
    assert ani.budget_used.calls == 1


def test_files_are_listed_read_and_deleted_by_sftp(opened, driver):
    _, access = opened(driver=driver)

    async def main():
        async with connect(access.hosts["edge"]) as connection, connection.start_sftp_client() as sftp:
            seen = await sftp.listdir("."), await sftp.getsize("welcome.txt"), await sftp.exists("none.txt")
            async with sftp.open("welcome.txt", "rb") as file:
                text = await file.read()
            await sftp.remove("welcome.txt")
            with pytest.raises(asyncssh.SFTPPermissionDenied):
                await sftp.mkdir("folder")
            with pytest.raises(asyncssh.SFTPNoSuchFile):
                await sftp.remove("none.txt")
            return *seen, text

    assert asyncio.run(main()) == (["welcome.txt"], 6, False, b"hello\n")
    assert driver.stores["edge"].kept == {}


def test_a_file_that_does_not_fit_is_refused(opened, tmp_path):
    _, access = opened()
    (tmp_path / "full").write_text("x")
    with pytest.raises(asyncssh.SFTPError, match="no room"):
        copy(access.hosts["edge"], tmp_path / "full", "full", upload=True)


def test_the_disk_of_this_machine_is_out_of_reach(opened, tmp_path):
    _, access = opened()
    secret = tmp_path / "secret.txt"
    secret.write_text("ground truth")
    with pytest.raises(asyncssh.SFTPError):
        copy(access.hosts["edge"], str(secret), tmp_path / "copy.txt", upload=False)
    with pytest.raises(asyncssh.SFTPError):
        copy(access.hosts["edge"], f"../../../../{secret}", tmp_path / "copy.txt", upload=False)


def test_ports_cannot_be_forwarded_through_a_device(opened):
    _, access = opened()

    async def main():
        async with connect(access.hosts["edge"]) as connection:
            await connection.open_connection("127.0.0.1", access.hosts["web"].port)

    with pytest.raises(asyncssh.ChannelOpenError):
        asyncio.run(main())


def test_no_socket_is_inherited_by_processes_that_are_started_meanwhile(opened):
    opened()
    assert [fd for fd in open_descriptors() if fd > 2 and _is_socket(fd) and os.get_inheritable(fd)] == []


def open_descriptors() -> list[int]:
    found = []
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            os.fstat(int(path.name))
            found.append(int(path.name))
    return found


def _is_socket(fd: int) -> bool:
    return stat.S_ISSOCK(os.fstat(fd).st_mode)
