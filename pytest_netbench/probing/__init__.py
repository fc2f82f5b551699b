"""Real packets in network namespaces: exchanges, paths, flows and captures. It must not know labs, nor their backends.

Its processes are short-lived, and supervisors of labs load it: standard library only.
"""
