"""SSH access to the nodes of a lab, each on a loopback port.

Owns the wire, logins and file copies (``server.SshServer``). A login is served by a ``Console`` of the
node's platform. The guard (``hosts.Guard``) decides which commands are permitted and what is recorded.
"""
