"""Inventories of other programs, read for what they say of devices: addresses, dialects, users, where secrets are."""
