"""DHCP: server, relay and client."""
