"""Words of which names of drawn applications are made. None says anything of what its workload does in the graph."""

from __future__ import annotations

from typing import Final

_NAMES: Final = """
accounts alerts archive assets audit auth badges basket billing blog booking budget calendar campaigns catalog chat
claims consent contacts content contracts courses coupons credit customs delivery devices discounts dispatch documents
drivers events exports feedback fleet flags forms fraud geocoder gifts grades identity images imports inbox inventory
invoices labels leads ledger licenses loans locations loyalty mailer maps media meetings members menus messages notes
offers orders parcels partners passes payouts permits photos pickup plans points polls prices profiles projects quotas
quotes rates ratings receipts refunds reports returns reviews rewards rooms routes rules salaries schedule search seats
sessions shelves shifts slots stock stores surveys tariffs tasks taxes teams tickets tokens tours trips users vendors
videos vouchers warehouse weather wishlist
"""
NAMES: Final = tuple(_NAMES.split())
NAMESPACES: Final = ("alpha", "aurora", "cobalt", "comet", "delta", "ember", "falcon", "harbor", "indigo", "jasper")
POLICIES: Final = ("access", "base", "default", "main", "traffic")
"""What a second policy is called behind the name of its workload."""
LOADS: Final = ("traffic", "visitors", "crawler")
MONITORS: Final = ("collector", "scraper", "observer")
PORTS: Final = {
    "grpc": (50051, 50052, 9000, 9090, 7000, 7070, 5050, 3550),
    "http": (8080, 8000, 8081, 3000, 5000, 9080),
    "redis": (6379, 6380),
}
SERVICE_PORTS: Final = (80, 8088, 8888)
"""Of Services before HTTP servers, where they are not those of the pods."""
