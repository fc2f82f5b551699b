"""The files of services on Linux hosts, and how a running config shows them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from pytest_netbench.model.hosting import (
    DhcpClient,
    DhcpServer,
    DnsServer,
    LoadBalancer,
    Resolver,
    RpkiCache,
    VpnEnd,
    Vrp,
    WebServer,
)
from pytest_netbench.platforms.access import Completed
from pytest_netbench.platforms.linux import balancer, dhcp, rpki, services, vpn, web


def shown(*files: Path) -> list[str]:
    command = services.read_command(map(str, files))
    done = subprocess.run(["/bin/sh", "-c", f"{command}; echo END"], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\nEND\n") or done.stdout == "END\n", "what follows has a line of its own"
    return services.lines(done.stdout.removesuffix("END\n"))


def test_files_stand_below_their_names_and_missing_and_empty_ones_are_left_out(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "two words"
    (tmp_path / "empty").touch()
    one.write_text("nameserver 10.0.1.10\n\n# by hand\n")
    other.write_text("port=53")  # without an end of line
    assert shown(one, tmp_path / "none", tmp_path / "empty", other) == [
        f"file {one}",
        " nameserver 10.0.1.10",
        " # by hand",
        f"file {other}",
        " port=53",
    ]


def test_a_pipe_or_a_device_in_the_place_of_a_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    assert shown(tmp_path / "pipe", tmp_path / "device") == []


def test_a_large_file_is_cut(tmp_path: Path) -> None:
    (tmp_path / "large").write_text("x" * 1_000_000)
    assert len("".join(shown(tmp_path / "large"))) < 70_000


class Host:
    """A node whose files are in memory."""

    name = "h1"

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.modes: dict[str, int] = {}
        self.ran: list[tuple[str, ...]] = []
        self.started: list[tuple[str, ...]] = []
        self.running: dict[str, bool] = {}

    def run(self, argv: list[str]) -> Completed:
        self.ran.append(tuple(argv))
        return Completed(stdout="", stderr="", returncode=0)

    def run_many(self, argvs: list[tuple[str, ...]]) -> list[Completed]:
        return [self.run(list(argv)) for argv in argvs]

    def write_file(self, path: str, text: str, *, mode: int = 0o644) -> None:
        self.files[path] = text
        self.modes[path] = mode

    def read_file(self, path: str) -> str:
        return self.files[path]

    def start(self, argv: tuple[str, ...], *, name: str, lab_time: bool = True) -> None:
        assert lab_time is (name not in {vpn.PROGRAM, rpki.PROGRAM}), "those are written in Go"
        self.started.append(argv)
        self.running[name] = False

    def capability(self, _kind: Any) -> Any:
        return type("Programs", (), {"running": lambda _: self.running})()


@pytest.mark.parametrize("size", [256, 4096, 32_768])
def test_a_page_has_the_size_that_is_said(size: int) -> None:
    host: Any = Host()
    services.serve(host, [WebServer(page_bytes=size)])
    assert len(host.files[web.PAGE].encode()) == size


def test_servers_are_started_once_and_a_resolver_is_no_server() -> None:
    host: Any = Host()
    every = [
        DnsServer(domain="corp.example", records={"h1": "10.0.1.10"}),
        WebServer(),
        Resolver(server="10.0.1.10", domain="corp.example"),
    ]
    for _ in range(2):
        services.serve(host, every)
    assert [argv[0].rpartition("/")[2] for argv in host.started] == ["dnsmasq", "lighttpd"]
    assert [*host.running] == ["dnsmasq", "lighttpd"]
    assert host.files[services.DNS_RECORDS] == "10.0.1.10 h1.corp.example\n"
    assert host.files[services.RESOLV_CONF] == "search corp.example\nnameserver 10.0.1.10\n"
    assert "dns" in host.files["/etc/nsswitch.conf"]


def test_a_load_balancer_asks_its_servers_in_turn_and_none_twice() -> None:
    host: Any = Host()
    servers = {"h2": "10.0.2.10:80", "h3": "10.0.2.11:80"}
    services.serve(host, [LoadBalancer(servers=servers, name="www.corp.example")])
    lines = [line.strip() for line in host.files[balancer.LB_CONF].splitlines()]
    assert lines[-3:] == ["balance roundrobin", "server h2 10.0.2.10:80", "server h3 10.0.2.11:80"]
    assert {"retries 0", "nbthread 1", "bind :80", "monitor-uri /alive"} <= {*lines}
    assert [*host.running] == ["haproxy"]
    assert balancer.LB_CONF in services.SHOWN


def test_files_are_written_again_as_they_are_and_not_as_they_were() -> None:
    host: Any = Host()
    resolver = Resolver(server="10.0.1.10", domain="corp.example")
    services.serve(host, [resolver])
    host.files[services.RESOLV_CONF] = "nameserver 10.9.9.9\n"
    services.refresh(host, [resolver])
    assert host.files[services.RESOLV_CONF] == "nameserver 10.9.9.9\n"


def test_each_kind_of_server_says_what_must_be_installed() -> None:
    from pytest_netbench.backends.netns.machine.checks import PROGRAMS, RPKI, TUN

    assert {name for names in services.NEEDED.values() for name in names} <= {*PROGRAMS, RPKI, TUN}


# ---- tunnels ----

PRIVATE, PUBLIC = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHl8=", "j0DFrbaPJWJK5bIU6nZ6bslNgp09e14a0bpvPiE4KF8="
PEER = {"public_key": PUBLIC, "endpoint": "10.0.2.10:51820", "allowed_ips": ["172.31.7.2/32"]}
END = VpnEnd.model_validate({"address": "172.31.7.1/24", "private_key": PRIVATE, "peers": {"h2": PEER}})


def test_the_config_of_a_tunnel_has_its_peers_and_not_its_private_key() -> None:
    host: Any = Host()
    services.serve(host, [END])
    assert host.files[vpn.CONF].splitlines()[-4:] == [
        "[Peer]",
        f"PublicKey = {PUBLIC}",
        "AllowedIPs = 172.31.7.2/32",
        "Endpoint = 10.0.2.10:51820",
    ]
    assert PRIVATE not in host.files[vpn.CONF]
    assert (host.files[vpn.KEY], host.modes[vpn.KEY]) == (f"{PRIVATE}\n", 0)
    assert {vpn.CONF} == {*services.SHOWN} & {vpn.CONF, vpn.KEY}
    assert [*host.running] == ["wireguard-go"]
    assert any("ip address replace 172.31.7.1/24 dev wg0" in argv[-1] for argv in host.ran)


def test_a_refresh_writes_the_present_files_of_a_tunnel_and_its_sessions_are_forgotten_when_told() -> None:
    host: Any = Host()
    services.serve(host, [END])
    host.files[vpn.CONF] = "[Interface]\n"
    host.ran.clear()
    services.refresh(host, [END])
    assert host.files[vpn.CONF] == "[Interface]\n"
    assert host.modes[vpn.KEY] == 0
    assert host.ran == []
    services.forget_sessions(host, [])
    assert host.ran == []
    services.forget_sessions(host, [END])
    assert host.ran == [("/bin/sh", "-c", vpn.CONFIGURE)]


# ---- RPKI ----


def test_a_cache_tells_who_may_announce_what() -> None:
    host: Any = Host()
    vrps = ({"prefix": "203.0.113.0/24", "max_length": 25, "autonomous_system": 65010},)
    services.serve(host, [RpkiCache.model_validate({"vrps": vrps})])
    assert [*host.running] == ["stayrtr"]
    assert rpki.VRPS in services.SHOWN
    told = json.loads(host.files[rpki.VRPS])
    assert told == {"roas": [{"asn": "AS65010", "prefix": "203.0.113.0/24", "maxLength": 25, "ta": "corp"}]}


@pytest.mark.parametrize(("prefix", "most"), [("10.0.0.0/24", 23), ("10.0.0.0/24", 33), ("10.0.0.1/24", 24)])
def test_a_payload_that_no_authority_would_sign_is_refused(prefix: str, most: int) -> None:
    with pytest.raises(ValidationError):
        Vrp.model_validate({"prefix": prefix, "max_length": most, "autonomous_system": 65010})


# ---- DHCP ----

MAC = "02:4e:0a:00:01:0a"


def test_a_dhcp_server_gives_known_clients_their_addresses_and_keeps_no_leases() -> None:
    server = DhcpServer(prefix="10.0.1.0/24", gateway="10.0.1.1", leases={MAC: "10.0.1.10"}, resolver="10.0.2.9")
    lines = dhcp.server_config(server).splitlines()
    assert "dhcp-range=10.0.1.0,static,255.255.255.0,12h" in lines
    assert f"dhcp-host={MAC},10.0.1.10" in lines
    assert "dhcp-option=option:router,10.0.1.1" in lines
    assert "dhcp-option=option:dns-server,10.0.2.9" in lines
    assert "leasefile-ro" in lines
    bare = dhcp.server_config(server.model_copy(update={"resolver": None}))
    assert "dhcp-option=option:dns-server\n" in bare, "a server does not name itself"


def test_two_servers_of_one_program_and_a_client_run_side_by_side_under_their_names() -> None:
    host: Any = Host()
    every = [
        DnsServer(domain="corp.example", records={}),
        DhcpServer(prefix="10.0.1.0/24", gateway="10.0.1.1", leases={}),
        WebServer(),
        Resolver(server="10.0.1.10", domain="corp.example"),
        DhcpClient(interface="eth0"),
    ]
    services.serve(host, every)
    assert [*host.running] == ["dnsmasq", "dnsmasq-dhcp", "lighttpd", "udhcpc"]
    assert host.modes[dhcp.SCRIPT] == 0o755
    assert services.RESOLV_CONF not in host.files, "the client writes what the server gives it"
    assert ("ln", "-sfn", dhcp.LEASED_RESOLV_CONF, services.RESOLV_CONF) in host.ran
    services.refresh(host, every)
    assert host.modes[dhcp.SCRIPT] == 0o755
    assert ("touch", "--no-create", dhcp.LEASED_RESOLV_CONF) in host.ran


def test_the_script_of_a_client_writes_what_a_resolver_would_have(tmp_path: Path) -> None:
    path = tmp_path / "resolv.conf"
    script = dhcp.SCRIPT_TEXT.replace(dhcp.LEASED_RESOLV_CONF, str(path)).replace("ip ", "true ")
    lease = {"interface": "eth0", "ip": "10.0.1.10", "mask": "24", "dns": "10.0.2.9 10.0.2.8", "domain": "corp.example"}
    subprocess.run(["/bin/sh", "-c", script, "sh", "bound"], check=True, env={**os.environ, **lease})
    assert path.read_text() == services.resolver_text("10.0.2.9", "corp.example")


def test_a_script_that_its_client_may_be_running_is_not_written() -> None:
    host: Any = Host()
    client = [DhcpClient(interface="eth0")]
    services.serve(host, client)
    del host.files[dhcp.SCRIPT]
    services.serve(host, client)
    assert dhcp.SCRIPT not in host.files
    assert ("touch", "--no-create", dhcp.SCRIPT) in host.ran
