"""Trials on the nodes of a Ray cluster: what is sent and what comes back, who carries which trial, what was lost.

The only package that imports ray, in ``cluster`` and ``pool``. It knows nothing of pytest.
"""
