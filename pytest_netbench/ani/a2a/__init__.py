"""A2A (Agent2Agent): the ANI as an agent that others drive, and conversations with agents that are evaluated.

The only package that imports the SDK, the optional package ``a2a``.
"""
