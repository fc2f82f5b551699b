"""The grammar of the area ``management``: its commands and how lines are stored."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.management import vty
from pytest_netbench.platforms.cisco_ios.areas.management.edits import (
    encrypt_all,
    keep_password,
    keep_secret,
    logging_host,
    old_spelling,
    old_switch,
    open_line,
    render_banner,
    with_algorithm,
)
from pytest_netbench.platforms.cisco_ios.config.edit import ignore
from pytest_netbench.platforms.cisco_ios.grammar.command import Mode
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

_CONFIG = table(
    setting("service password-encryption", keeps_no=True, edit=encrypt_all),
    setting(
        "enable secret ( 9 {hash9:word} | 5 {hash5:word} | [ 0 ] {plain:line} )",
        "Assign the privileged level secret",
        edit=keep_secret,
    ),
    setting(
        "enable password ( 7 {hidden:word} | [ 0 ] {plain:line} )",
        "Assign the privileged level password",
        edit=keep_password,
    ),
    setting(
        (
            "username {user!:word} ^ [ privilege {level:0-15} ] ( secret ( 9 {hash9:word} | 5 {hash5:word} | [ 0 ]"
            " {plain:line} ) | password ( 7 {hidden:word} | [ 0 ] {plain:line} ) )"
        ),
        "Establish User Name Authentication",
        edit=lambda edit, match: (keep_password if match.has("password") else keep_secret)(edit, match),
    ),
    setting(
        (
            "username {user!:word} ^ [ privilege {level:0-15} ] algorithm-type ( md5 | scrypt | sha256 ) secret"
            " {plain:line}"
        ),
        "Establish User Name Authentication",
        name="username algorithm-type",
        edit=with_algorithm,
    ),
    setting(
        "enable algorithm-type ( md5 | scrypt | sha256 ) secret {plain:line}",
        "Algorithm to use for hashing the enable secret",
        edit=with_algorithm,
    ),
    setting("banner {kind!:bannerkind} {text:line}", "Define a login banner", render=render_banner),
    setting(
        "line {kind!:linekind} {first!:0-530} [ {last!:1-530} ]",
        "Configure a terminal line",
        opens=_LINE_MODE,
        edit=open_line,
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
    setting(
        "ip domain-name {domain:word}", edit=lambda edit, match: old_spelling(edit, match, "ip domain name", "domain")
    ),
    setting("ip domain-lookup", keeps_no=True, edit=lambda edit, match: old_switch(edit, match, "ip domain lookup")),
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
    setting("logging {address!:ipv4}", name="logging address", edit=logging_host),
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
    setting("password ( 7 {hidden:word} | [ 0 ] {plain:line} )", edit=keep_password),
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
