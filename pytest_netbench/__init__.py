"""Benchmark AI agents on real, running networks, with pytest.

Importing this package costs nothing: everything heavy is imported where it is used.
"""

__version__ = "0.1.0"
