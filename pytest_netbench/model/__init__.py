"""Frozen data models that every layer shares. No I/O happens here."""
