"""EIGRP: packets, DUAL, and the service."""
