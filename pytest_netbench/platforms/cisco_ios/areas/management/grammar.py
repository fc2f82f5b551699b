"""The grammar of the area ``management``: its commands and how lines are stored."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.management import vty
from pytest_netbench.platforms.cisco_ios.config import passwords
from pytest_netbench.platforms.cisco_ios.config.edit import Edit, ignore
from pytest_netbench.platforms.cisco_ios.config.tree import Entry
from pytest_netbench.platforms.cisco_ios.grammar.command import INVALID, Match, Mode
from pytest_netbench.platforms.cisco_ios.grammar.pattern import Keyword
from pytest_netbench.platforms.cisco_ios.grammar.tables import setting, table
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


_CONFIG = table(
    setting("service password-encryption", keeps_no=True, edit=_encrypt_all),
    setting(
        "enable secret ( 9 {hash9:word} | 5 {hash5:word} | [ 0 ] {plain:line} )",
        "Assign the privileged level secret",
        edit=_secret,
    ),
    setting(
        "enable password ( 7 {hidden:word} | [ 0 ] {plain:line} )",
        "Assign the privileged level password",
        edit=_password,
    ),
    setting(
        (
            "username {user!:word} ^ [ privilege {level:0-15} ] ( secret ( 9 {hash9:word} | 5 {hash5:word} | [ 0 ]"
            " {plain:line} ) | password ( 7 {hidden:word} | [ 0 ] {plain:line} ) )"
        ),
        "Establish User Name Authentication",
        edit=lambda edit, match: (_password if match.has("password") else _secret)(edit, match),
    ),
    setting(
        (
            "username {user!:word} ^ [ privilege {level:0-15} ] algorithm-type ( md5 | scrypt | sha256 ) secret"
            " {plain:line}"
        ),
        "Establish User Name Authentication",
        name="username algorithm-type",
        edit=_with_algorithm,
    ),
    setting(
        "enable algorithm-type ( md5 | scrypt | sha256 ) secret {plain:line}",
        "Algorithm to use for hashing the enable secret",
        edit=_with_algorithm,
    ),
    setting("banner {kind!:bannerkind} {text:line}", "Define a login banner", render=_render_banner),
    setting(
        "line {kind!:linekind} {first!:0-530} [ {last!:1-530} ]",
        "Configure a terminal line",
        opens=_LINE_MODE,
        edit=_line,
        render=vty.render,
    ),
    setting("aaa new-model", "Enable NEW access control commands and functions", keeps_no=True),
    *(
        setting(f"aaa {word} {{what!:word}} {{list!:word}} {{rest:line}}", marked=_NO_AAA)
        for word in ("authentication", "authorization", "accounting")
    ),
    setting("aaa authorization console", marked=_NO_AAA),
    setting("aaa authorization config-commands", marked=_NO_AAA),
    setting("aaa session-id (common|unique)", default="aaa session-id common"),
    ("ip domain name {domain:word}", "Define the default domain name"),
    setting("ip domain-name {domain:word}", edit=lambda edit, match: _alias(edit, match, "ip domain name", "domain")),
    setting("ip domain-lookup", keeps_no=True, edit=lambda edit, match: _switch(edit, match, "ip domain lookup")),
    ("ip host {host!:word} {address:ipv4}+", "Add an entry to the ip hostname table"),
    setting("ip name-server {server!:ipv4}+", marked="there is no name server: use ip host"),
    setting("ip ssh version {version:1-2}", default="ip ssh version 1"),
    setting("ip ssh time-out {seconds:1-120}", default="ip ssh time-out 120"),
    setting("ip ssh authentication-retries {count:0-5}", default="ip ssh authentication-retries 3"),
    setting("ip ssh source-interface {interface:interface}", marked="there is no SSH client"),
    setting("crypto key generate rsa [ general-keys ] [ modulus {bits:360-4096} ]", edit=ignore),
    setting("crypto key zeroize rsa", edit=ignore),
    (
        "logging host {address!:ipv4} [ transport udp [ port {port:1-65535} ] ]",
        "Set syslog server IP address and parameters",
    ),
    setting("logging {address!:ipv4}", name="logging address", edit=_host_alias),
    setting(
        "logging trap ^ ( {level:0-7} | {word:severity} )", default=("logging trap informational", "logging trap 6")
    ),
    setting("logging buffered ^ [ {size:4096-2147483647} ] [ {level:0-7} | {word:severity} ]", keeps_no=True),
    setting("logging console ^ [ guaranteed ] [ {level:0-7} | {word:severity} ]", keeps_no=True),
    setting("logging monitor ^ [ {level:0-7} | {word:severity} ]", keeps_no=True),
    ("logging source-interface {interface:interface}", "Specify interface for source address in logging transactions"),
    setting("logging facility {facility:syslogfacility}", default="logging facility local7"),
    setting("logging on", on=True),
    setting("logging rate-limit {rate:1-10000}", marked="every message is sent"),
    setting(
        (
            "ntp server {server!:word} < prefer | key {key:0-4294967295} | version {version:1-4} | source"
            " {interface:interface} >"
        ),
        "Configure NTP server",
        marked=_NO_NTP,
    ),
    setting("ntp peer {server!:ipv4} < prefer | key {key:0-4294967295} >", marked=_NO_NTP),
    setting("ntp source {interface:interface}", marked=_NO_NTP),
    setting("ntp master [ {stratum:1-15} ]", marked=_NO_NTP),
    setting("ntp authenticate", marked=_NO_NTP),
    setting(
        "ntp authentication-key {key!:1-4294967295} md5 {text:line}", name="ntp authentication-key", marked=_NO_NTP
    ),
    setting("ntp trusted-key {key!:1-4294967295}", marked=_NO_NTP),
    setting("ntp update-calendar", marked=_NO_NTP),
    setting("ntp access-group {kind!:ntpaccess} {acl:word}", marked=_NO_NTP),
    setting("clock timezone {zone:word} {hours:clockoffset} [ {minutes:0-59} ]", marked="the clock shows UTC"),
    setting("clock summer-time {zone:word} {rest:line}", marked="the clock shows UTC"),
    setting(
        "snmp-server community {community!:word} [ view {view:word} ] [ RO | RW ] [ {acl:word} ]",
        "Enable SNMP; set community string and access privs",
        marked=_NO_SNMP,
    ),
    setting("snmp-server {what!:snmpword} {rest:line}", marked=_NO_SNMP),
    setting("snmp-server enable traps ^ [ {kind!:line} ]", marked=_NO_SNMP),
    setting("snmp-server host {address!:ipv4} {rest:line}", marked=_NO_SNMP),
    setting("security passwords min-length {length:1-16}", marked="lengths are not checked"),
    setting(
        "login block-for {seconds:1-65535} attempts {attempts:1-65535} within {window:1-65535}",
        marked="logins are not counted",
    ),
    setting("login on-failure log", marked="logins are not logged"),
    setting("login on-success log", marked="logins are not logged"),
    setting(
        "service tcp-keepalives-in",
        keeps_no=True,
        default="no service tcp-keepalives-in",
        marked="sessions do not time out",
    ),
    setting("service tcp-keepalives-out", keeps_no=True, marked="sessions do not time out"),
    setting("service sequence-numbers", keeps_no=True, default="no service sequence-numbers"),
    setting("service config", keeps_no=True),
    setting("service pad", on=True),
    setting("service dhcp", on=True),
    setting("boot-start-marker", edit=ignore),
    setting("boot-end-marker", edit=ignore),
    setting("boot system {rest:line}", marked="the system is this platform"),
    setting("ip forward-protocol nd", default="ip forward-protocol nd"),
    setting("ip tcp synwait-time {seconds:5-300}", marked="there is no telnet or SSH client"),
    setting("ip tcp path-mtu-discovery", marked="the kernel always does this"),
    setting("mmi {rest:line}", edit=ignore),
    setting("multilink bundle-name authenticated", edit=ignore),
    setting("redundancy", edit=ignore),
    setting("scheduler allocate {a:0-60000} {b:0-60000}", marked="there is no scheduler"),
    setting("alias exec {name!:word} {text:line}", marked="aliases are not expanded"),
    setting("control-plane host", "Configure the control plane host", opens=_HOST),
)

_ON_LINE = table(
    setting("password ( 7 {hidden:word} | [ 0 ] {plain:line} )", edit=_password),
    setting("login [ local | authentication {list:word} ]", keeps_no=True),
    setting(
        "exec-timeout {minutes:0-35791} [ {seconds:0-2147483} ]",
        default=("exec-timeout 10 0", "exec-timeout 10"),
        marked="sessions do not time out",
    ),
    (
        "transport input {protocol:linetransport}+",
        "Define which protocols to use when connecting to the terminal server",
    ),
    setting("transport output {protocol:linetransport}+", marked="there is no telnet or SSH client"),
    setting("transport preferred {protocol:linetransport}", marked="there is no telnet or SSH client"),
    "logging synchronous [ level {level:word} ]",
    setting("privilege level {level:0-15}", default="privilege level 1"),
    setting("session-timeout {minutes:0-35791}", marked="sessions do not time out"),
    setting("history size {lines:0-256}", default="history size 20"),
    setting("length {lines:0-512}", default="length 24"),
    setting("width {columns:0-512}", default="width 80"),
    setting("stopbits (1|1.5|2)", default="stopbits 2", marked="there is no serial line"),
    setting("speed {baud:300-115200}", default="speed 9600", marked="there is no serial line"),
    setting("exec", on=True),
    setting("no-exec", edit=ignore),
    "ipv6 access-class {acl:word} in",
    mode=_LINE_MODE,
)


def _line_kind(text: str) -> str | None:
    kinds = [
        kind for word, kind in (("console", "con"), ("aux", "aux"), ("vty", "vty")) if word.startswith(text.lower())
    ]
    return kinds[0] if len(kinds) == 1 else None


def _alias(edit: Edit, match: Match, name: str, arg: str) -> str | None:
    """Return a command that is an old spelling of another one."""
    if match.negated or match.reset:
        edit.section.remove(*edit.section.all(name))
    else:
        edit.put(f"{name} {match[arg]}")
    return None


def _switch(edit: Edit, match: Match, text: str) -> str | None:
    """Return an old spelling of a command that is on by default."""
    edit.section.remove(*(e for e in edit.section if e.name == text))
    if match.negated:
        edit.put(f"no {text}")
    return None


COMMANDS = table(
    *_CONFIG,
    *_ON_LINE,
    setting("management-interface {interface!:interface} allow {protocol:mgmtproto}+", mode=_HOST),
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
