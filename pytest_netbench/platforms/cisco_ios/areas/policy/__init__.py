"""Routing policy: prefix lists, AS path lists, community lists, route maps."""
