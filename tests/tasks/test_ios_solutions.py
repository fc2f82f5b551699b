"""Shipped tasks of QoS and security in the IOS dialect: right answers of another kind, and plausible wrong ones."""

from __future__ import annotations


def test_a_list_near_the_source_does_as_well_if_it_is_an_extended_one(failed_after):
    answer = [
        "access-list 120 permit ip host 10.1.20.5 any",
        "access-list 120 deny ip 10.1.20.0 0.0.0.255 10.1.30.0 0.0.0.255",
        "access-list 120 permit ip any any",
        "int gi0/1",
        "ip access-group 120 in",
    ]
    assert failed_after("security/acl-standard-lab-network", {"School": answer}) == {}
