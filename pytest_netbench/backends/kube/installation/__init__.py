"""Brings the programs of a control plane into the user's cache: released ones, or built from their Go modules."""
