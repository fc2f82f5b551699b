"""The choice of addresses by a DHCP server."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Loop
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp.packet import DhcpMessage, Kind, Option, addresses
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp.pools import Binding, Conflict, Leases, Pool
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp.server import Arrival, DhcpServer

NOWHERE = "0.0.0.0"
LAN = {"name": "LAN", "network": "10.0.0.0/29", "options": {"6": "01010101", "3": "0a000001"}}
ONE = {"name": "ONE", "network": "10.0.0.6/29", "address": "10.0.0.6", "client": "01020000000009", "lease_s": None}
FAR = {"name": "FAR", "network": "10.5.0.0/24"}
WIDE = {"name": "WIDE", "network": "10.0.0.0/16", "options": {"15": b"lab".hex(), "3": "0a00fffe"}}


def mac(number):
    return bytes((2, 0, 0, 0, 0, number))


def client(number):
    return b"\x01" + mac(number)


def leases(*pools, excluded=(("10.0.0.1", "10.0.0.1"),)):
    made = Leases()
    made.take_over([Pool.read(pool) for pool in pools], list(excluded))
    return made


def bound(number, address, *, expires=None, active=True):
    return Binding("LAN", address, client(number), mac(number), expires, active=active)


def test_the_pool_is_chosen_by_the_subnet_and_a_host_pool_by_its_client():
    made = leases(LAN, ONE, FAR)
    assert made.pool_for(client(1), mac(1), "10.0.0.1").name == "LAN"
    assert made.pool_for(client(9), mac(9), "10.0.0.1").name == "ONE"
    assert made.pool_for(client(9), mac(9), "10.5.0.1").name == "FAR"
    assert made.pool_for(client(1), mac(1), "192.0.2.1") is None


def test_of_nested_networks_the_narrowest_serves_and_inherits_from_the_wider():
    made = leases(WIDE, LAN)
    pool = made.pool_for(client(1), mac(1), "10.0.0.1")
    assert pool.name == "LAN"
    assert made.options(pool) == {15: b"lab", 6: b"\x01\x01\x01\x01", 3: b"\x0a\x00\x00\x01"}


def test_addresses_are_given_in_ascending_order_without_excluded_taken_and_conflicting_ones():
    made = leases(LAN)
    pool = made.pools[0]
    made.bindings[client(2)] = bound(2, "10.0.0.2")
    made.conflicts["10.0.0.3"] = Conflict("10.0.0.3", "Ping", 0.0)
    assert made.choose(pool, client(1), NOWHERE, 0.0) == "10.0.0.4"


def test_a_client_gets_its_address_again_or_the_one_it_wants_if_that_is_free():
    made = leases(LAN)
    pool = made.pools[0]
    made.bindings[client(1)] = bound(1, "10.0.0.5")
    assert made.choose(pool, client(1), "10.0.0.4", 0.0) == "10.0.0.5"
    assert made.choose(pool, client(2), "10.0.0.4", 0.0) == "10.0.0.4"
    assert made.choose(pool, client(2), "10.0.0.5", 0.0) == "10.0.0.2"
    assert made.choose(pool, client(2), "10.0.0.1", 0.0) == "10.0.0.2"


def test_a_pool_can_be_exhausted_and_expired_leases_free_it():
    made = leases(LAN)
    pool = made.pools[0]
    for number in range(2, 7):
        made.bindings[client(number)] = bound(number, f"10.0.0.{number}", expires=100.0)
    assert made.choose(pool, client(1), NOWHERE, 50.0) is None
    assert made.choose(pool, client(1), NOWHERE, 100.0) == "10.0.0.2"


def test_what_is_counted_of_a_pool():
    made = leases(LAN, excluded=[("10.0.0.1", "10.0.0.3"), ("192.0.2.1", "192.0.2.9")])
    made.bindings[client(5)] = bound(5, "10.0.0.5")
    made.bindings[client(6)] = bound(6, "10.0.0.6", active=False)
    assert made.count(made.pools[0]) == (6, 1, 3)


def test_bindings_of_a_pool_that_goes_are_forgotten():
    made = leases(LAN)
    made.bindings[client(2)] = bound(2, "10.0.0.2")
    made.take_over([Pool.read(FAR)], [])
    assert made.bindings == {}


class Wire:
    """A server whose answers are recorded, with a given set of addresses in use."""

    def __init__(self, *pools, used=()):
        self.sent = []
        self.used = set(used)
        self.server = DhcpServer(
            Loop(), lambda address, tell: tell(address in self.used), lambda _, m: self.sent.append(m)
        )
        self.server.leases.take_over([Pool.read(pool) for pool in pools], [("10.0.0.1", "10.0.0.1")])

    def ask(self, kind, number=1, *, options=None, **fields):
        message = DhcpMessage(op=1, xid=1, chaddr=mac(number), kind=kind, options=options or {}, **fields)
        self.server.receive(Arrival(message, "eth0", "10.0.0.1"))
        return self.sent[-1] if self.sent else None


def wants(address, server="10.0.0.1"):
    options = {Option.REQUESTED_ADDRESS: addresses(address)}
    return {**options, Option.SERVER_ID: addresses(server)} if server else options


def test_an_offer_is_requested_and_acknowledged():
    wire = Wire(LAN)
    offer = wire.ask(Kind.DISCOVER)
    assert (offer.kind, offer.yiaddr, offer.server) == (Kind.OFFER, "10.0.0.2", "10.0.0.1")
    ack = wire.ask(Kind.REQUEST, options=wants("10.0.0.2"))
    assert (ack.kind, ack.yiaddr) == (Kind.ACK, "10.0.0.2")
    assert [entry["address"] for entry in wire.server.report()["bindings"]] == ["10.0.0.2"]


def test_an_address_in_use_becomes_a_conflict_and_the_next_is_offered():
    wire = Wire(LAN, used={"10.0.0.2", "10.0.0.3"})
    assert wire.ask(Kind.DISCOVER).yiaddr == "10.0.0.4"
    assert [entry["address"] for entry in wire.server.report()["conflicts"]] == ["10.0.0.2", "10.0.0.3"]


@pytest.mark.parametrize(
    "options", [wants("10.0.0.4"), wants("192.0.2.1", server=None), wants("10.0.0.1", server=None)]
)
def test_a_request_for_what_was_not_offered_or_does_not_fit_is_refused(options):
    wire = Wire(LAN)
    wire.ask(Kind.DISCOVER)
    assert wire.ask(Kind.REQUEST, options=options).kind is Kind.NAK


def test_a_request_to_another_server_gives_the_offer_back():
    wire = Wire(LAN)
    wire.ask(Kind.DISCOVER)
    wire.ask(Kind.REQUEST, options=wants("10.0.0.2", server="10.0.0.99"))
    assert wire.ask(Kind.DISCOVER, 2).yiaddr == "10.0.0.2"


def test_a_renewal_extends_and_a_release_ends():
    wire = Wire(LAN)
    wire.ask(Kind.DISCOVER)
    wire.ask(Kind.REQUEST, options=wants("10.0.0.2"))
    assert wire.ask(Kind.REQUEST, ciaddr="10.0.0.2").kind is Kind.ACK
    wire.ask(Kind.RELEASE, ciaddr="10.0.0.2")
    assert wire.server.report()["bindings"] == []


def test_a_declined_address_is_a_conflict():
    wire = Wire(LAN)
    wire.ask(Kind.DISCOVER)
    wire.ask(Kind.REQUEST, options=wants("10.0.0.2"))
    wire.ask(Kind.DECLINE, options=wants("10.0.0.2"))
    assert [entry["how"] for entry in wire.server.report()["conflicts"]] == ["Gratuitous ARP"]
    assert wire.ask(Kind.DISCOVER).yiaddr == "10.0.0.3"


def test_information_is_given_without_an_address():
    ack = Wire(LAN).ask(Kind.INFORM, ciaddr="10.0.0.4")
    assert (ack.kind, ack.yiaddr) == (Kind.ACK, NOWHERE)
    assert Option.LEASE_TIME not in ack.options


def test_who_has_no_pool_gets_no_answer():
    assert Wire(FAR).ask(Kind.DISCOVER) is None


def test_what_is_cleared_must_be_there():
    wire = Wire(LAN)
    wire.server.clear("binding", "*")
    with pytest.raises(ValueError, match=r"no binding of 10\.0\.0\.2"):
        wire.server.clear("binding", "10.0.0.2")


def test_a_wide_exclusion_costs_nothing():
    everything = [("0.0.0.0", "10.255.255.250"), ("10.0.0.0", "10.255.255.251"), ("11.0.0.0", "255.255.255.255")]
    made = leases({"name": "WIDE", "network": "10.0.0.0/8"}, excluded=everything)
    pool = made.pools[0]
    assert made.choose(pool, client(1), NOWHERE, 0.0) == "10.255.255.252"
    assert made.count(pool) == (2**24 - 2, 0, 2**24 - 4)
