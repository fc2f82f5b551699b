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


def test_a_standard_list_near_the_source_locks_the_laboratory_in(failed_after):
    answer = [
        "access-list 10 permit host 10.1.20.5",
        "access-list 10 deny 10.1.20.0 0.0.0.255",
        "access-list 10 permit any",
        "interface GigabitEthernet0/1",
        "ip access-group 10 in",
    ]
    among = ["a pupil reaches the office", "a pupil does not ping the server"]
    assert list(failed_after("security/acl-standard-lab-network", {"School": answer}, among=among)) == among[:1]


def test_a_stateful_firewall_is_as_good_as_looking_for_established(failed_after):
    answer = [
        "ip access-list extended NAMES",
        "permit udp any host 198.51.100.53 eq 53",
        "ip access-list extended WEB",
        "permit tcp any host 203.0.113.80 eq 443",
        "class-map type inspect match-any GENERAL",
        "match protocol tcp",
        "match protocol icmp",
        "match access-group name NAMES",
        "class-map type inspect match-any SHOP",
        "match access-group name WEB",
        "policy-map type inspect OUT",
        "class type inspect GENERAL",
        "inspect",
        "policy-map type inspect IN",
        "class type inspect SHOP",
        "inspect",
        "zone security US",
        "zone security THEM",
        "zone-pair security OUT source US destination THEM",
        "service-policy type inspect OUT",
        "zone-pair security IN source THEM destination US",
        "service-policy type inspect IN",
        "interface GigabitEthernet0/0",
        "zone-member security US",
        "interface GigabitEthernet0/1",
        "zone-member security THEM",
    ]
    assert failed_after("security/acl-established-returns", {"Gateway": answer}) == {}


def test_a_deny_at_the_end_of_a_list_comes_too_late_for_the_infected_computer(failed_after):
    answer = ["ip access-list extended TO-SERVERS", "deny ip host 10.1.7.77 any"]
    web = "the infected computer does not open the web"
    assert failed_after("security/acl-edit-by-sequence", {"Core": answer}, among=[web])


def test_a_list_may_also_be_replaced_by_a_new_one(failed_after):
    answer = [
        "ip access-list extended NEW",
        "deny ip host 10.1.7.77 any",
        "permit tcp any host 10.9.0.10 eq 443",
        "permit tcp 10.1.99.0 0.0.0.255 host 10.9.0.20 eq 22",
        "permit udp any any eq domain",
        "permit icmp any any",
        "permit tcp any host 10.9.0.20 eq 5432",
        "interface GigabitEthernet0/0",
        "ip access-group NEW in",
    ]
    assert failed_after("security/acl-edit-by-sequence", {"Core": answer}) == {}


def test_a_port_forward_is_no_address_of_ones_own(failed_after):
    answer = ["ip nat inside source static tcp 192.168.10.25 25 198.51.100.25 25"]
    delivered = "mail is delivered"
    other, own = "any other port leads to the server as well", "the server's own connections come from its address"
    among = [delivered, other, own]
    assert set(failed_after("security/nat-static-mail-server", {"Gateway": answer}, among=among)) == {other, own}


def test_translating_everything_hides_the_office_from_its_partner(failed_after):
    answer = [
        "access-list 1 permit 192.168.10.0 0.0.0.255",
        "ip nat inside source list 1 interface GigabitEthernet0/1 overload",
        "interface GigabitEthernet0/0",
        "ip nat inside",
        "interface GigabitEthernet0/1",
        "ip nat outside",
    ]
    own = "the partner sees the computer's own address"
    among = [own, "computers open connections under the public address"]
    assert list(failed_after("security/nat-overload-and-forwards", {"Gateway": answer}, among=among)) == [own]


def test_a_strict_check_at_both_customers_cuts_off_the_second_line(failed_after):
    answer = [
        "interface GigabitEthernet0/0",
        "ip verify unicast source reachable-via rx",
        "interface GigabitEthernet0/1",
        "ip verify unicast source reachable-via rx",
    ]
    second = "customer B uses the server and is answered on the second line"
    assert list(failed_after("security/reverse-path-at-customers", {"Access": answer})) == [second]


def test_logins_may_be_guarded_by_numbered_lists_too(failed_after):
    answer = [
        "access-list 5 permit 10.9.9.0 0.0.0.255",
        "access-list 5 deny any",
        "line vty 0 4",
        "access-class 5 in",
        "transport input ssh",
    ]
    assert failed_after("security/vty-access-admins", {"Edge": answer, "Core": answer}) == {}


def test_guarding_the_edge_alone_leaves_the_core_open(failed_after):
    answer = ["access-list 5 permit 10.9.9.0 0.0.0.255", "line vty 0 4", "access-class 5 in", "transport input ssh"]
    failed = failed_after("security/vty-access-admins", {"Edge": answer})
    assert "staff do not log in to the core" in failed
    assert "staff do not log in to the edge" not in failed


def test_passing_without_inspecting_lets_no_answer_back(failed_after):
    answer = [
        "zone security A",
        "zone security B",
        "class-map type inspect match-any WEB",
        "match protocol http",
        "policy-map type inspect P",
        "class type inspect WEB",
        "pass",
        "zone-pair security AB source A destination B",
        "service-policy type inspect P",
        "interface GigabitEthernet0/0",
        "zone-member security A",
        "interface GigabitEthernet0/2",
        "zone-member security B",
    ]
    assert failed_after("security/zone-firewall-branch", {"Firewall": answer}, among=["inside opens web pages"])


def test_without_overload_the_first_guest_takes_the_only_address(failed_after):
    answer = [
        "access-list 20 permit 192.168.20.0 0.0.0.255",
        "ip nat pool G 198.51.100.18 198.51.100.18 prefix-length 28",
        "ip nat inside source list 20 pool G",
        "interface range GigabitEthernet0/0 - 1",
        "ip nat inside",
        "interface GigabitEthernet0/3",
        "ip nat outside",
    ]
    guests = ["a guest opens connections under the guests' address", "a second guest does so at the same time"]
    assert len(failed_after("security/nat-pool-per-department", {"Gateway": answer}, among=guests)) == 1


def test_the_management_plane_may_be_guarded_by_lists_on_the_ports(failed_after):
    def guard(management: str, *others: str) -> list[str]:
        lines = ["ip access-list extended NO-MANAGEMENT"]
        for address in (management, *others):
            lines += [f"deny tcp any host {address} range 22 23", f"deny udp any host {address} eq snmp"]
        lines += ["permit ip any any", "interface range GigabitEthernet0/0 - 1", "ip access-group NO-MANAGEMENT in"]
        lines += ["access-list 100 deny tcp any any eq telnet", "access-list 100 permit ip any any"]
        return [*lines, "interface GigabitEthernet0/2", "ip access-group 100 in"]

    answer = {
        "Edge": guard("172.16.0.1", "10.1.1.1", "10.0.0.1"),
        "Core": guard("172.16.0.2", "10.0.0.2", "10.8.8.1"),
    }
    assert failed_after("security/management-plane-protection", answer) == {}


def test_shutting_the_port_punishes_the_desk_as_well(failed_after):
    answer = [
        "interface FastEthernet0/1",
        "switchport port-security",
        "switchport port-security mac-address 0200.0000.0011",
    ]
    works = "the desk works while the intruder tries"
    assert works in failed_after("security/port-security-desks", {"Switch": answer})
