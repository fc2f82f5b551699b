"""Hosts that are reached by a text console only: a serial line, telnet, SSH."""
