"""Sealed bundles: tasks that can lie in public, because only who has the key can read them.

``keys`` encrypts and authenticates, ``bundle`` is the file format. Neither knows what a task is.
"""
