"""Nodes of a lab as others know devices: each answers with SSH on a loopback port.

Owns the wire, logins and file copies (``server.SshServer``). What is behind a login is a ``Console`` of the node's
platform; who may enter which command, and what is recorded, is the guard's (``hosts.Guard``).
"""
