"""LSAs at MaxAge, which ospfd still holds, are not in the database that IOS shows."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.ospf.database import withdrawn, without_withdrawn

TABLE = """
       OSPF Router with ID (10.255.0.5)

                Router Link States (Area 0.0.0.1)

Link ID         ADV Router      Age  Seq#       CkSum  Link count
10.255.0.2      10.255.0.2       3599 0x80000005 0x68d6 2
10.255.0.5      10.255.0.5       3600 0x80000006 0x9f2a 2

                Summary Link States (Area 0.0.0.1)

Link ID         ADV Router      Age  Seq#       CkSum  Route
10.1.0.0        10.255.0.5      3600 0x80000001 0x528d 10.1.0.0/30

                AS External Link States

Link ID         ADV Router      Age  Seq#       CkSum  Route
192.0.2.0       10.255.0.2      3600 0x80000001 0x1111 E2 192.0.2.0/24 [0x0]
"""
DETAIL = """
                Summary Link States (Area 0.0.0.0)

  LS age: 39
  LS Type: summary-LSA
  Link State ID: 10.1.0.0 (summary Network Number)
  Length: 28

  LS age: 3600
  LS Type: summary-LSA
  Link State ID: 10.9.0.0 (summary Network Number)
  Length: 28

                Summary Link States (Area 0.0.0.1)

  LS age: 40
  LS Type: summary-LSA
  Link State ID: 10.2.0.0 (summary Network Number)
  Length: 28
"""


def test_rows_at_max_age_are_left_out_and_counted_by_area():
    kept = [line for line in without_withdrawn(TABLE.splitlines()) if "0x8" in line]
    assert kept == ["10.255.0.2      10.255.0.2       3599 0x80000005 0x68d6 2"]
    assert withdrawn(TABLE.splitlines()) == {"": 1, "0.0.0.1": 2}


def test_details_at_max_age_are_left_out():
    kept = "\n".join(without_withdrawn(DETAIL.splitlines()))
    assert [word for word in ("10.1.0.0", "10.9.0.0", "10.2.0.0") if word in kept] == ["10.1.0.0", "10.2.0.0"]
    assert "(Area 0.0.0.1)" in kept
    assert "LS age: 3600" not in kept
