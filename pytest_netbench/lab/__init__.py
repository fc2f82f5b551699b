"""Protocols of a running network, and readiness; independent of the backend."""
