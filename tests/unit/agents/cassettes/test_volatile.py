"""What two labs of one task print differently is left out, and what tells them apart is not."""

from __future__ import annotations

import pytest

from pytest_netbench.agents.cassettes.volatile import Names, stable


def same(one: str, other: str) -> bool:
    return stable(one, Names()) == stable(other, Names())


SAME = {
    "route of FRR": (
        "O>* 10.0.255.0/24 [110/20] via 10.1.0.2, eth1, weight 1, 00:05:07",
        "O>* 10.0.255.0/24 [110/20] via 10.1.0.2, eth1, weight 1, 1d02h03m",
    ),
    "route of IOS": (
        "O E2     10.40.0.0/16 [110/20] via 10.0.0.2, 00:02:53, GigabitEthernet0/0",
        "O E2     10.40.0.0/16 [110/20] via 10.0.0.2, 5d02h, GigabitEthernet0/0",
    ),
    "OSPF neighbor of FRR": (
        "10.1.0.2          1 Full/-          5m37s             39.215s 10.1.0.2        eth1:10.1.0.1    0     0     0",
        "10.1.0.2          1 Full/-          1h00m02s           3.393s 10.1.0.2        eth1:10.1.0.1    0     0     0",
    ),
    "LSA": ("10.1.0.1       10.1.0.1         308 0x80000008 0x23ce 6", "10.1.0.1 10.1.0.1  5 0x80000009 0xb1c1 6"),
    "BGP peer": (
        "192.0.2.1       4      64500        13        12        0    0    0 00:04:01            4        1 N/A",
        "192.0.2.1       4      64500       113       112        7    0    0 02:04:01            4        1 N/A",
    ),
    "BGP ports": (
        "Local host: 172.16.2.1, Local port: 43210\nForeign port: 179",
        "Local host: 172.16.2.1, Local port: 55001\nForeign port: 179",
    ),
    "uptime in JSON": (
        '      "peerUptimeMsec":341000,\n      "uptime":"00:05:07",',
        '      "peerUptimeMsec":1,\n      "uptime":"5d02h",',
    ),
    "MAC address": ("  HWaddr: c2:f9:a6:78:4d:3e", "  HWaddr: 8a:2e:b4:85:bb:b3"),
    "MAC address of IOS": (
        "address is 7ab8.4ccb.3dc6 (bia 7ab8.4ccb.3dc6)",
        "address is 0a18.35a9.0639 (bia 0a18.35a9.0639)",
    ),
    "address made from it": ("  inet6 fe80::c0f9:a6ff:fe78:4d3e/64", "  inet6 fe80::882e:b4ff:fe85:bbb3/64"),
    "table of neighbors": (
        "10.0.0.1 dev eth0 lladdr 2a:01:00:01:02:03 REACHABLE\n10.0.0.2 dev eth0 lladdr ae:00:01:01:09:07 STALE",
        "10.0.0.2 dev eth0 lladdr 5e:01:02:03:04:05 DELAY\n10.0.0.1 dev eth0 lladdr 1e:07:06:05:04:03 STALE",
    ),
    "counters of Linux": (
        "    RX:  bytes packets errors dropped  missed   mcast\n          9352     110      0       0       0       0",
        "    RX:  bytes packets errors dropped  missed   mcast\n        129352    1110      0       0       0       0",
    ),
    "counters of IOS": ("123 packets input, 11725 bytes, 0 no buffer", "7 packets input, 420 bytes, 0 no buffer"),
    "hits": ("10 permit icmp any any (64 matches)", "10 permit icmp any any (8 matches)"),
    "nftables": (
        "ip daddr 10.0.0.1 counter packets 5 bytes 420 accept",
        "ip daddr 10.0.0.1 counter packets 15 bytes 1260 accept",
    ),
    "ping": (
        "64 bytes from 10.1.1.10: icmp_seq=1 ttl=64 time=0.080 ms\nrtt min/avg/max/mdev = 0.023/0.025/0.028/0.002 ms",
        "64 bytes from 10.1.1.10: icmp_seq=1 ttl=64 time=11.2 ms\nrtt min/avg/max/mdev = 0.9/1.025/11.2/0.402 ms",
    ),
    "traceroute": (" 1  10.1.1.1  0.030 ms  0.003 ms", " 1  10.1.1.1  1.046 ms  12.004 ms"),
    "log": (
        "*Nov 25 02:07:40.578: %SYS-5-CONFIG_I: Configured from console by console",
        "*Dec  1 12:00:01.003: %SYS-5-CONFIG_I: Configured from console by console",
    ),
    "date": ("Wed Nov 25 02:08:05 UTC 2026", "Fri Jan  1 00:00:00 UTC 2027"),
    "uptime": (
        "02:08:05 up 25 min,  0 user,  load average: 11.67, 9.54, 6.26",
        "12:08:05 up 3 days, 1:02,  0 user,  load average: 0.00, 0.01, 0.0",
    ),
    "sockets": (
        "tcp   TIME-WAIT 0      0          10.1.7.66:36481    10.9.0.10:443",
        "tcp   TIME-WAIT 0      0          10.1.7.66:60001    10.9.0.10:443",
    ),
    "processes": ('users:(("bgpd",pid=123,fd=20))', 'users:(("bgpd",pid=4711,fd=20))'),
    "timers": (
        "Standby router is 10.1.10.3, priority 100 (expires in 9.808 sec)",
        "Standby router is 10.1.10.3, priority 100 (expires in 1.1 sec)",
    ),
}

DIFFERENT = {
    "next hop": (
        "O>* 10.0.0.0/24 [110/20] via 10.1.0.2, eth1, 00:05:07",
        "O>* 10.0.0.0/24 [110/20] via 10.1.0.6, eth1, 00:05:07",
    ),
    "metric": (
        "O>* 10.0.0.0/24 [110/20] via 10.1.0.2, eth1, 00:05:07",
        "O>* 10.0.0.0/24 [110/30] via 10.1.0.2, eth1, 00:05:07",
    ),
    "state": ("10.1.0.2 1 Full/- 5m37s 39.215s", "10.1.0.2 1 ExStart/- 5m37s 39.215s"),
    "never": ("10.0.0.2 4 65001 0 0 0 0 0 never Active", "10.0.0.2 4 65001 0 0 0 0 0 00:01:00 3"),
    "no hit and some": ("10 permit icmp any any (0 matches)", "10 permit icmp any any (8 matches)"),
    "no packet and some": ("counter packets 0 bytes 0 drop", "counter packets 3 bytes 252 drop"),
    "lost packets": (
        "5 packets transmitted, 5 received, 0% packet loss, time 9ms",
        "5 packets transmitted, 4 received, 20% packet loss, time 9ms",
    ),
    "a slow path": ("rtt min/avg/max/mdev = 0.1/0.2/0.3/0.1 ms", "rtt min/avg/max/mdev = 100.1/100.2/100.3/0.1 ms"),
    "a neighbor that does not answer": (
        "10.0.0.1 dev eth0 lladdr 2a:01:00:01:02:03 STALE",
        "10.0.0.1 dev eth0  FAILED",
    ),
    "whose MAC address it is": (
        "10.0.0.1 dev eth0 lladdr 2a:01:01:01:02:03 STALE\n10.0.0.2 dev eth0 lladdr 2a:01:01:01:02:03 STALE",
        "10.0.0.1 dev eth0 lladdr 2a:01:01:01:02:03 STALE\n10.0.0.2 dev eth0 lladdr 2a:01:01:01:02:04 STALE",
    ),
    "a vendor's or a written MAC address": ("mac-address 0200.0000.0011", "mac-address 0200.0000.0012"),
    "address": ("  inet 10.0.0.1/24 scope global eth0", "  inet 10.0.0.2/24 scope global eth0"),
    "IPv6 address": ("  inet6 2001:db8::1/64", "  inet6 2001:db8::2/64"),
    "service port": ("tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:*", "tcp LISTEN 0 128 0.0.0.0:2222 0.0.0.0:*"),
    "rate of a policer": ("    cir 256000 bps, bc 8000 bytes", "    cir 512000 bps, bc 8000 bytes"),
    "burst of a policer": ("    cir 256000 bps, bc 8000 bytes", "    cir 256000 bps, bc 9000 bytes"),
    "queue limit": ("    queue limit 64 packets", "    queue limit 128 packets"),
    "delay": (
        "  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,",
        "  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 20 usec,",
    ),
    "hello time": ('"timerMsecs":10000', '"timerMsecs":5000'),
    "hold time": ('"bgpTimerHoldTimeMsecs":180000', '"bgpTimerHoldTimeMsecs":90000'),
    "advertisement": ("  Advertisement interval is 1.000 sec", "  Advertisement interval is 3.000 sec"),
    "ARP time-out": ("  ARP type: ARPA, ARP Timeout 04:00:00", "  ARP type: ARPA, ARP Timeout 01:00:00"),
    "life of a key": (" accept-lifetime 00:00:00 Jan 1 2024 infinite", " accept-lifetime 12:00:00 Jan 1 2024 infinite"),
    "time range": (" absolute start 08:00 1 January 2024", " absolute start 09:00 1 January 2024"),
    "schedule": ("ip sla schedule 1 start-time 08:00:00", "ip sla schedule 1 start-time 09:00:00"),
    "VLAN": ("  10    7ab3.ba28.199b    DYNAMIC     Fa0/1", "  20    7ab3.ba28.199b    DYNAMIC     Fa0/1"),
    "password": ("username admin secret 5 $1$abcd$xyz", "username admin secret 5 $1$abcd$xyy"),
    "MTU": ("2: eth0: <UP> mtu 1500 qdisc noqueue", "2: eth0: <UP> mtu 1400 qdisc noqueue"),
}


@pytest.mark.parametrize("name", SAME)
def test_what_only_time_and_chance_changed_is_the_same(name):
    one, other = SAME[name]
    assert one != other
    assert same(one, other), (stable(one, Names()), stable(other, Names()))


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_tells_two_networks_apart_stays(name):
    assert not same(*DIFFERENT[name]), stable(DIFFERENT[name][0], Names())


@pytest.mark.parametrize("text", [text for pair in SAME.values() for text in pair])
def test_what_is_stable_stays_as_it_is(text):
    once = stable(text, Names())
    assert stable(once, Names()) == once


def test_names_are_those_of_the_whole_conversation():
    names = Names()
    first = stable("lladdr 2a:01:01:01:02:03\nlladdr 2a:01:01:01:02:04", names)
    assert first == "lladdr <mac 1>\nlladdr <mac 2>"
    assert stable("address is 2a01.0101.0204", names) == "address is <mac 2>"
