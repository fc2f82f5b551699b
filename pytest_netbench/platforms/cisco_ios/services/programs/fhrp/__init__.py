"""First-hop redundancy: HSRP and VRRP."""
