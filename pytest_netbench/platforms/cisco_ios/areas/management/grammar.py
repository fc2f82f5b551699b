"""The grammar of the area ``management``: its commands and how lines are stored."""

from __future__ import annotations

from dataclasses import replace

from pytest_netbench.platforms.cisco_ios.areas.management import vty
from pytest_netbench.platforms.cisco_ios.config import passwords
from pytest_netbench.platforms.cisco_ios.config.edit import Edit
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Command, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.pattern import Keyword
from pytest_netbench.platforms.cisco_ios.grammar.types import matching, one

_LINE_MODE = "line"


_HOST = "cp-host"


_NO_NTP = "NTP does not run: the clock is the machine's"


_NO_SNMP = "there is no SNMP agent"


_NO_AAA = "logins are checked against the local users"


PORTS = {
    "ssh": ("tcp dport 22",),
    "telnet": ("tcp dport 23",),
    "http": ("tcp dport 80",),
    "https": ("tcp dport 443",),
    "ftp": ("tcp dport 21",),
    "snmp": ("udp dport 161",),
    "tftp": ("udp dport 69",),
    "beep": ("tcp dport 602",),
    "tl1": ("tcp dport 3082",),
}


def _secret(edit: Edit, match: Match) -> str | None:
    """Store a secret as a hash, whatever type was typed."""
    if match.negated or match.reset:
        return _without(edit, match)
    if "plain" not in match.args:
        return edit.keep(match)
    edit.put(f"{_before(match, 'secret')} 9 {passwords.hashed(str(match['plain']))}")
    return None


def _password(edit: Edit, match: Match) -> str | None:
    """Store a password in the clear, or as type 7 if ``service password-encryption`` is on."""
    if match.negated or match.reset:
        return _without(edit, match)
    if "plain" not in match.args:
        return edit.keep(match)
    head = _before(match, "password")
    encrypt = edit.config.has("service password-encryption")
    user = match.name.startswith("username")
    plain = str(match["plain"])
    edit.put(f"{head} 7 {passwords.hidden(plain)}" if encrypt else f"{head}{' 0' if user else ''} {plain}")
    return None


def _without(edit: Edit, match: Match) -> str | None:
    """Remove a password or a user. The words after its name do not matter: the config may have them in another form."""
    text = f"username {match['user']}" if "user" in match.args else match.name
    return edit.keep(edit.read(text, like=match))


def _with_algorithm(edit: Edit, match: Match) -> str | None:
    """Store a secret without ``algorithm-type``: the number before the hash identifies the only supported algorithm."""
    words = match.text.split()
    if "algorithm-type" in words:
        at = words.index("algorithm-type")
        del words[at : at + 2]
    return _secret(edit, edit.read(" ".join(words), like=match))


def _before(match: Match, word: str) -> str:
    """Return the line up to and including a keyword."""
    last = next(element.position for element, _, text in match.parts if isinstance(element, Keyword) and text == word)
    return " ".join(text for element, _, text in match.parts if element.position <= last)


def _encrypt_all(edit: Edit, match: Match) -> str | None:
    """Encrypt existing passwords for ``service password-encryption``. The ``no`` form does not decrypt them."""
    words = edit.keep(match)
    if match.negated or match.reset:
        return words
    for section in [edit.config, *(body for _, body in edit.config.sections("line"))]:
        for entry in [e for e in section if "plain" in e.match.args and "password" in e.match.words and not e.negated]:
            head = _before(entry.match, "password")
            section.remove(entry)
            edit.put(f"{head} 7 {passwords.hidden(str(entry['plain']))}", section)
    return words


def _render_banner(entry: Entry) -> list[str]:
    return f"banner {entry['kind']} ^C{_banner_text(str(entry['text']))}^C".split("\n")


def _banner_text(typed: str) -> str:
    """Return the text between the delimiters."""
    size = 2 if typed.startswith("^C") else 1
    delimiter = typed[:size]
    text = typed[size : typed.rindex(delimiter)] if typed.count(delimiter) > 1 else typed[size:]
    return text.replace("^C", "")  # ^C ends the banner in a saved config


def _host_alias(edit: Edit, match: Match) -> str | None:
    """Store ``logging A.B.C.D`` as ``logging host A.B.C.D``."""
    text = f"logging host {match['address']}"
    if match.negated or match.reset:
        for entry in edit.section.all("logging host"):
            if entry["address"] == match["address"]:
                edit.section.remove(entry)
    else:
        edit.put(text)
    return None


def _line(edit: Edit, match: Match) -> str | None:
    """Open a terminal line: console, auxiliary and five virtual ones always exist."""
    if match.get("kind") == "vty":
        return vty.select(edit, match)
    if (match.negated or match.reset) and (match["kind"], match["first"]) in {("con", 0), ("aux", 0)}:
        return INVALID
    return edit.keep(match)


_CONFIG = (
    Command(pattern="service password-encryption", keeps_no=True, edit=_encrypt_all),
    Command(
        pattern="enable secret ( 9 {hash9:word} | 5 {hash5:word} | [ 0 ] {plain:line} )",
        edit=_secret,
        help="Assign the privileged level secret",
    ),
    Command(
        pattern="enable password ( 7 {hidden:word} | [ 0 ] {plain:line} )",
        edit=_password,
        help="Assign the privileged level password",
    ),
    Command(
        pattern=(
            "username {user!:word} ^ [ privilege {level:0-15} ] ( secret ( 9 {hash9:word} | 5 {hash5:word} | [ 0 ]"
            " {plain:line} ) | password ( 7 {hidden:word} | [ 0 ] {plain:line} ) )"
        ),
        name="username",
        edit=lambda edit, match: (_password if match.has("password") else _secret)(edit, match),
        help="Establish User Name Authentication",
    ),
    Command(
        pattern=(
            "username {user!:word} ^ [ privilege {level:0-15} ] algorithm-type ( md5 | scrypt | sha256 ) secret"
            " {plain:line}"
        ),
        name="username algorithm-type",
        edit=_with_algorithm,
        help="Establish User Name Authentication",
    ),
    Command(
        pattern="enable algorithm-type ( md5 | scrypt | sha256 ) secret {plain:line}",
        edit=_with_algorithm,
        help="Algorithm to use for hashing the enable secret",
    ),
    Command(
        pattern="banner {kind!:bannerkind} {text:line}",
        name="banner",
        render=_render_banner,
        help="Define a login banner",
    ),
    Command(
        pattern="line {kind!:linekind} {first!:0-530} [ {last!:1-530} ]",
        opens=_LINE_MODE,
        name="line",
        edit=_line,
        render=vty.render,
        help="Configure a terminal line",
    ),
    Command(pattern="aaa new-model", keeps_no=True, help="Enable NEW access control commands and functions"),
    *(
        Command(pattern=f"aaa {word} {{what!:word}} {{list!:word}} {{rest:line}}", marked=_NO_AAA)
        for word in ("authentication", "authorization", "accounting")
    ),
    Command(pattern="aaa authorization console", marked=_NO_AAA),
    Command(pattern="aaa authorization config-commands", marked=_NO_AAA),
    Command(pattern="aaa session-id (common|unique)", default=("aaa session-id common",)),
    Command(pattern="ip domain name {domain:word}", help="Define the default domain name"),
    Command(
        pattern="ip domain-name {domain:word}", edit=lambda edit, match: _alias(edit, match, "ip domain name", "domain")
    ),
    Command(
        pattern="ip domain-lookup", keeps_no=True, edit=lambda edit, match: _switch(edit, match, "ip domain lookup")
    ),
    Command(pattern="ip host {host!:word} {address:ipv4}+", help="Add an entry to the ip hostname table"),
    Command(pattern="ip name-server {server!:ipv4}+", marked="there is no name server: use ip host"),
    Command(pattern="ip ssh version {version:1-2}", default=("ip ssh version 1",)),
    Command(pattern="ip ssh time-out {seconds:1-120}", default=("ip ssh time-out 120",)),
    Command(pattern="ip ssh authentication-retries {count:0-5}", default=("ip ssh authentication-retries 3",)),
    Command(pattern="ip ssh source-interface {interface:interface}", marked="there is no SSH client"),
    Command(
        pattern="crypto key generate rsa [ general-keys ] [ modulus {bits:360-4096} ]", edit=lambda _edit, _match: None
    ),
    Command(pattern="crypto key zeroize rsa", edit=lambda _edit, _match: None),
    Command(
        pattern="logging host {address!:ipv4} [ transport udp [ port {port:1-65535} ] ]",
        name="logging host",
        help="Set syslog server IP address and parameters",
    ),
    Command(pattern="logging {address!:ipv4}", name="logging address", edit=_host_alias),
    Command(
        pattern="logging trap ^ ( {level:0-7} | {word:severity} )",
        default=("logging trap informational", "logging trap 6"),
    ),
    Command(pattern="logging buffered ^ [ {size:4096-2147483647} ] [ {level:0-7} | {word:severity} ]", keeps_no=True),
    Command(pattern="logging console ^ [ guaranteed ] [ {level:0-7} | {word:severity} ]", keeps_no=True),
    Command(pattern="logging monitor ^ [ {level:0-7} | {word:severity} ]", keeps_no=True),
    Command(
        pattern="logging source-interface {interface:interface}",
        help="Specify interface for source address in logging transactions",
    ),
    Command(pattern="logging facility {facility:syslogfacility}", default=("logging facility local7",)),
    Command(pattern="logging on", keeps_no=True, default=("logging on",)),
    Command(pattern="logging rate-limit {rate:1-10000}", marked="every message is sent"),
    Command(
        pattern=(
            "ntp server {server!:word} < prefer | key {key:0-4294967295} | version {version:1-4} | source"
            " {interface:interface} >"
        ),
        marked=_NO_NTP,
        help="Configure NTP server",
    ),
    Command(pattern="ntp peer {server!:ipv4} < prefer | key {key:0-4294967295} >", marked=_NO_NTP),
    Command(pattern="ntp source {interface:interface}", marked=_NO_NTP),
    Command(pattern="ntp master [ {stratum:1-15} ]", marked=_NO_NTP),
    Command(pattern="ntp authenticate", marked=_NO_NTP),
    Command(
        pattern="ntp authentication-key {key!:1-4294967295} md5 {text:line}",
        name="ntp authentication-key",
        marked=_NO_NTP,
    ),
    Command(pattern="ntp trusted-key {key!:1-4294967295}", marked=_NO_NTP),
    Command(pattern="ntp update-calendar", marked=_NO_NTP),
    Command(pattern="ntp access-group {kind!:ntpaccess} {acl:word}", marked=_NO_NTP),
    Command(pattern="clock timezone {zone:word} {hours:clockoffset} [ {minutes:0-59} ]", marked="the clock shows UTC"),
    Command(pattern="clock summer-time {zone:word} {rest:line}", marked="the clock shows UTC"),
    Command(
        pattern="snmp-server community {community!:word} [ view {view:word} ] [ RO | RW ] [ {acl:word} ]",
        marked=_NO_SNMP,
        help="Enable SNMP; set community string and access privs",
    ),
    Command(pattern="snmp-server {what!:snmpword} {rest:line}", name="snmp-server", marked=_NO_SNMP),
    Command(pattern="snmp-server enable traps ^ [ {kind!:line} ]", name="snmp-server enable traps", marked=_NO_SNMP),
    Command(pattern="snmp-server host {address!:ipv4} {rest:line}", name="snmp-server host", marked=_NO_SNMP),
    Command(pattern="security passwords min-length {length:1-16}", check=None, marked="lengths are not checked"),
    Command(
        pattern="login block-for {seconds:1-65535} attempts {attempts:1-65535} within {window:1-65535}",
        marked="logins are not counted",
    ),
    Command(pattern="login on-failure log", marked="logins are not logged"),
    Command(pattern="login on-success log", marked="logins are not logged"),
    Command(
        pattern="service tcp-keepalives-in",
        keeps_no=True,
        default=("no service tcp-keepalives-in",),
        marked="sessions do not time out",
    ),
    Command(pattern="service tcp-keepalives-out", keeps_no=True, marked="sessions do not time out"),
    Command(pattern="service sequence-numbers", keeps_no=True, default=("no service sequence-numbers",)),
    Command(pattern="service config", keeps_no=True),
    Command(pattern="service pad", keeps_no=True, default=("service pad",)),
    Command(pattern="service dhcp", keeps_no=True, default=("service dhcp",)),
    Command(pattern="boot-start-marker", edit=lambda _edit, _match: None),
    Command(pattern="boot-end-marker", edit=lambda _edit, _match: None),
    Command(pattern="boot system {rest:line}", marked="the system is this platform"),
    Command(pattern="ip forward-protocol nd", default=("ip forward-protocol nd",)),
    Command(pattern="ip tcp synwait-time {seconds:5-300}", marked="there is no telnet or SSH client"),
    Command(pattern="ip tcp path-mtu-discovery", marked="the kernel always does this"),
    Command(pattern="mmi {rest:line}", edit=lambda _edit, _match: None),
    Command(pattern="multilink bundle-name authenticated", edit=lambda _edit, _match: None),
    Command(pattern="redundancy", edit=lambda _edit, _match: None),
    Command(pattern="scheduler allocate {a:0-60000} {b:0-60000}", marked="there is no scheduler"),
    Command(pattern="alias exec {name!:word} {text:line}", marked="aliases are not expanded"),
    Command(pattern="control-plane host", opens=_HOST, help="Configure the control plane host"),
)


_ON_LINE = (
    Command(pattern="password ( 7 {hidden:word} | [ 0 ] {plain:line} )", edit=_password),
    Command(pattern="login [ local | authentication {list:word} ]", name="login", keeps_no=True, default=()),
    Command(
        pattern="exec-timeout {minutes:0-35791} [ {seconds:0-2147483} ]",
        default=("exec-timeout 10 0", "exec-timeout 10"),
        marked="sessions do not time out",
    ),
    Command(
        pattern="transport input {protocol:linetransport}+",
        help="Define which protocols to use when connecting to the terminal server",
    ),
    Command(pattern="transport output {protocol:linetransport}+", marked="there is no telnet or SSH client"),
    Command(pattern="transport preferred {protocol:linetransport}", marked="there is no telnet or SSH client"),
    Command(pattern="logging synchronous [ level {level:word} ]", name="logging synchronous"),
    Command(pattern="privilege level {level:0-15}", default=("privilege level 1",)),
    Command(pattern="session-timeout {minutes:0-35791}", marked="sessions do not time out"),
    Command(pattern="history size {lines:0-256}", default=("history size 20",)),
    Command(pattern="length {lines:0-512}", default=("length 24",)),
    Command(pattern="width {columns:0-512}", default=("width 80",)),
    Command(pattern="stopbits (1|1.5|2)", name="stopbits", default=("stopbits 2",), marked="there is no serial line"),
    Command(pattern="speed {baud:300-115200}", default=("speed 9600",), marked="there is no serial line"),
    Command(pattern="exec", keeps_no=True, default=("exec",)),
    Command(pattern="no-exec", edit=lambda _edit, _match: None),
    Command(pattern="ipv6 access-class {acl:word} in"),
)


def _line_kind(text: str) -> str | None:
    kinds = [
        kind for word, kind in (("console", "con"), ("aux", "aux"), ("vty", "vty")) if word.startswith(text.lower())
    ]
    return kinds[0] if len(kinds) == 1 else None


def _alias(edit: Edit, match: Match, name: str, arg: str) -> str | None:
    """Return a command that is an old spelling of another one."""
    if match.negated or match.reset:
        for entry in edit.section.all(name):
            edit.section.remove(entry)
    else:
        edit.put(f"{name} {match[arg]}")
    return None


def _switch(edit: Edit, match: Match, text: str) -> str | None:
    """Return an old spelling of a command that is on by default."""
    for entry in [e for e in edit.section if e.name == text]:
        edit.section.remove(entry)
    if match.negated:
        edit.put(f"no {text}")
    return None


COMMANDS: tuple[Command, ...] = (
    *_CONFIG,
    *(replace(command, mode=_LINE_MODE) for command in _ON_LINE),
    Command(pattern="management-interface {interface!:interface} allow {protocol:mgmtproto}+", mode=_HOST),
)


MODES = (
    Mode(name=_LINE_MODE, prompt="config-line", help="line"),
    Mode(name=_HOST, prompt="config-cp-host", help="control plane host"),
)


TYPES = {
    "linekind": one("console|aux|vty", _line_kind),
    "bannerkind": matching("motd|login|exec|incoming", r"motd|login|exec|incoming"),
    "linetransport": matching("all|none|ssh|telnet", r"all|none|ssh|telnet"),
    "syslogfacility": matching("WORD", r"auth|cron|daemon|kern|local[0-7]|lpr|mail|news|syslog|user|uucp"),
    "severity": matching("WORD", r"emergencies|alerts|critical|errors|warnings|notifications|informational|debugging"),
    "snmpword": matching(
        "WORD",
        r"location|contact|chassis-id|view|group|user|trap-source|ifindex|queue-length|tftp-server-list|source-interface|engineID|packetsize",
    ),
    "mgmtproto": matching("WORD", "|".join(PORTS)),
    "ntpaccess": matching("WORD", r"peer|query-only|serve|serve-only"),
    "clockoffset": matching("<-23 - 23>", r"-?(?:1?\d|2[0-3])"),
}
