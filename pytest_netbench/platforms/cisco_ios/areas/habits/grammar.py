"""The grammar of the area ``habits``: its commands and how lines are stored."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.grammar.command import Command, Mode
from pytest_netbench.platforms.cisco_ios.grammar.tables import ignore, setting, table

_SERVERS = "there is no such server"

_KERNEL = "the kernel decides"

_HARDWARE = "there is no such hardware"

_NO_UDLD = "links of the lab do not fail in one direction only"

_NO_MIRROR = "frames are not mirrored"

_ARCHIVE, _ARCHIVE_LOG = "archive", "archive-log"

_AAA_SERVER, _AAA_GROUP = "aaa-server", "aaa-group"

_MARKED = {
    _SERVERS: (
        "service nagle",
        "service internal",
        "service finger",
        "service udp-small-servers",
        "service tcp-small-servers",
        "service linenumber",
        "service compress-config",
        "service unsupported-transceiver",
        "service call-home",
        "ip finger",
        "ip bootp server",
        "ip identd",
        "ip rcmd rsh-enable",
        "ip rcmd rcp-enable",
        "ip http access-class {acl:word}",
        "ip http authentication {kind:word}",
        "ip http port {port:0-65535}",
        "ip http max-connections {count:1-16}",
        "ip http timeout-policy {rest:line}",
        "ip http client source-interface {interface:interface}",
        "ip http secure-active-session-modules {name:word}",
        "ip http active-session-modules {name:word}",
        "ip ftp source-interface {interface:interface}",
        "ip ftp username {user:word}",
        "ip ftp password {rest:line}",
        "ip tftp source-interface {interface:interface}",
        "ip tacacs source-interface {interface:interface}",
        "ip radius source-interface {interface:interface}",
        "tacacs-server {rest!:line}",
        "radius-server {rest!:line}",
        "netconf ssh",
        "netconf-yang",
        "restconf",
        "call-home",
        "event manager {rest!:line}",
        "logging queue-limit {count:100-2147483647}",
        "logging snmp-authfail",
        "logging origin-id {rest:line}",
        "logging history {level:word}",
        "logging userinfo",
        "logging persistent {rest:line}",
        "ntp clock-period {period:0-4294967295}",
        "ntp logging",
        "ntp broadcastdelay {usec:1-999999}",
        "ntp max-associations {count:0-4294967295}",
        "snmp-server trap link ietf",
        "snmp-server ifindex persist",
        "snmp-server system-shutdown",
        "snmp mib {rest!:line}",
        "ip dhcp use vrf connected",
        "ip domain list {domain!:word}",
        "ip domain retry {count:0-100}",
        "ip domain timeout {seconds:1-3600}",
        "ip dns server",
        "security authentication failure rate {rate:2-1024} [ log ]",
        "aaa user profile {name:word}",
        "login delay {seconds:1-10}",
        "login quiet-mode access-class {acl:word}",
        "dot1x system-auth-control",
        "cdp log mismatch duplex",
    ),
    _KERNEL: (
        "ip gratuitous-arps [ local ]",
        "ip icmp rate-limit unreachable [ {rest:line} ]",
        "ip icmp redirect {what:word}",
        "ip options {what:word}",
        "ip tcp selective-ack",
        "ip tcp timestamp",
        "ip tcp window-size {bytes:0-1073741823}",
        "ip tcp queuemax {count:5-70}",
        "ip tcp mss {bytes:68-10000}",
        "ip telnet {rest!:line}",
        "ip cef {what!:word} {rest:line}",
        "ip cef load-sharing algorithm {rest:line}",
        "ip flow-cache {rest!:line}",
        "ip flow-export {rest!:line}",
        "ip flow-top-talkers",
        "ip host-routing",
        "ip spd {rest!:line}",
        "spd {rest!:line}",
        "ip load-sharing per-packet",
        "ipv6 source-route",
        "ipv6 ioam timestamp",
        "ipv6 hop-limit {hops:1-255}",
        "ipv6 icmp error-interval {ms:0-2147483647} [ {bucket:1-200} ]",
        "ip arp proxy disable",
        "ip gdp {rest!:line}",
        "ip ospf name-lookup",
        "ip extcommunity-list {rest!:line}",
        "ip multicast-routing [ distributed ]",
        "ip pim {rest!:line}",
    ),
    _HARDWARE: (
        "platform {rest!:line}",
        "license {rest!:line}",
        "hw-module {rest!:line}",
        "card {rest!:line}",
        "network-clock-participate {rest!:line}",
        "network-clock-select {rest!:line}",
        "memory {rest!:line}",
        "diagnostic {rest!:line}",
        "transceiver type all",
        "switch {rest!:line}",
        "system mtu {rest!:line}",
        "module {rest!:line}",
        "power {rest!:line}",
        "fabric {rest!:line}",
        "mls {rest!:line}",
        "sdm {rest!:line}",
        "exception {rest!:line}",
        "process cpu {rest!:line}",
        "process-max-time {ms:20-200}",
        "subscriber templating",
        "archive path {rest:line}",
        "warm-reboot",
        "buffers {rest!:line}",
        "scheduler {rest!:line}",
        "default-value {rest!:line}",
        "parser {rest!:line}",
        "crypto pki {rest!:line}",
        "cts {rest!:line}",
        "macro {rest!:line}",
        "lacp system-priority {priority:1-65535}",
    ),
}

_ON_INTERFACES = {
    _KERNEL: (
        "ip route-cache [ {rest:line} ]",
        "ip mroute-cache",
        "ip flow (ingress|egress)",
        "ip load-sharing per-packet",
        "ip accounting [ {rest:line} ]",
        "ip mask-reply",
        "ip nbar protocol-discovery",
        "ip cef accounting {rest:line}",
        "ip rsvp {rest!:line}",
        "ip pim {rest!:line}",
        "ip igmp {rest!:line}",
        "ip route-cache flow",
        "ipv6 redirects",
        "ipv6 nd dad attempts {count:0-600}",
        "ipv6 nd reachable-time {ms:0-3600000}",
        "ipv6 nd prefix {rest!:line}",
        "ipv6 nd router-preference {rest:word}",
    ),
    _HARDWARE: (
        "full-duplex",
        "half-duplex",
        "mop enabled",
        "mop sysid",
        "fair-queue [ {rest:line} ]",
        "max-reserved-bandwidth {percent:1-100}",
        "tx-ring-limit {count:1-32767}",
        "transmit-interface {interface:interface}",
        "no-arp",
        "serial restart-delay {seconds:0-900}",
        "power inline {rest:line}",
        "mls {rest!:line}",
        "auto qos {rest:line}",
        "medium p2p",
        "mdix auto",
        "flowcontrol {rest:line}",
        "priority-queue out",
        "srr-queue {rest!:line}",
        "storm-control {rest!:line}",
        "nsf {rest:line}",
        "bfd interval ^ {ms:50-999} min_rx {rx:50-999} multiplier {count:3-50}",
        "random-detect",
        "ip virtual-reassembly max-reassemblies {count:1-1024}",
        "pppoe enable [ group {group:word} ]",
        "llc2 {rest:line}",
        "trust device {what:word}",
        "macro description {rest:line}",
        "dampening [ {rest:line} ]",
        "down-when-looped",
        "ignore-dcd",
    ),
}

_ON_LINES = (
    "authorization {rest!:line}",
    "exec prompt timestamp",
    "flowcontrol {rest:line}",
    "logout-warning {seconds:0-4294967295}",
    "modem {rest:line}",
    "rotary {number:0-100}",
    "escape-character {rest:line}",
    "accounting {rest!:line}",
    "absolute-timeout {minutes:0-10000}",
    "txspeed {baud:0-4000000}",
    "rxspeed {baud:0-4000000}",
    "monitor",
    "location {rest:line}",
    "vacant-message {rest:line}",
    "notify",
    "autocommand {rest:line}",
)

_AAA_LINES = {
    _AAA_SERVER: (
        "address ipv4 {address:ipv4} [ auth-port {auth:0-65535} ] [ acct-port {acct:0-65535} ]",
        "key [ ( 0 | 6 | 7 ) ] {key:line}",
        "port {port:1-65535}",
        "timeout {seconds:1-1000}",
        "retransmit {count:0-100}",
        "single-connection",
        "automate-tester {rest:line}",
    ),
    _AAA_GROUP: (
        "server name {name!:word}",
        "server {address!:ipv4} [ {rest:line} ]",
        "server-private {address!:ipv4} [ {rest:line} ]",
        "ip tacacs source-interface {interface:interface}",
        "ip radius source-interface {interface:interface}",
        "ip vrf forwarding {vrf:word}",
        "deadtime {minutes:0-1440}",
    ),
}

_LOG_LINES = (
    "logging enable",
    "logging size {size:1-1000}",
    "hidekeys",
    "notify syslog [ contenttype {kind:word} ]",
    "logging persistent {rest:line}",
    "record rc",
)


def _commands() -> list[Command]:
    found = [setting(text, keeps_no=True, marked=why) for why, texts in _MARKED.items() for text in texts]
    found += [
        setting(text, keeps_no=True, marked=why, mode="if") for why, texts in _ON_INTERFACES.items() for text in texts
    ]
    found += [setting(text, keeps_no=True, marked=_SERVERS, mode="line") for text in _ON_LINES]
    found += [setting(text, marked=_SERVERS, mode=mode) for mode, texts in _AAA_LINES.items() for text in texts]
    found += [setting(text, keeps_no=True, marked=_SERVERS, mode=_ARCHIVE_LOG) for text in _LOG_LINES]
    return found


COMMANDS = table(
    *_commands(),
    setting("tacacs server {name!:word}", opens=_AAA_SERVER, marked=_SERVERS),
    setting("radius server {name!:word}", opens=_AAA_SERVER, marked=_SERVERS),
    setting("aaa group server {kind!:word} {name!:word}", opens=_AAA_GROUP, marked=_SERVERS),
    setting("log config", opens=_ARCHIVE_LOG, marked=_SERVERS, mode=_ARCHIVE),
    setting("memory-size iomem {percent:0-50}", edit=ignore),
    setting("config-register {value:word}", edit=ignore),
    setting("monitor session {session!:1-66} ( source | destination ) {what!:line}", marked=_NO_MIRROR),
    setting("udld ( enable | aggressive )", marked=_NO_UDLD),
    setting("udld message time {seconds:1-90}", marked=_NO_UDLD),
    # a switch has these two in its own area
    setting("spanning-tree extend system-id", default="spanning-tree extend system-id", roles=("router",)),
    setting("udld port [ aggressive ]", marked=_NO_UDLD, roles=("router",), mode="if"),
)

MODES = (
    Mode(name=_AAA_SERVER, prompt="config-server", help="TACACS+ or RADIUS server"),
    Mode(name=_AAA_GROUP, prompt="config-sg", help="group of servers"),
    Mode(name=_ARCHIVE_LOG, prompt="config-archive-log-cfg", help="log of the archive"),
)
