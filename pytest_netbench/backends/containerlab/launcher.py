"""Starts a module of this backend without a package path. Standard library only.

``python -I -S launcher.py ROOT MODULE WORD…`` calls the ``main`` of the module with the words.
"""

import importlib
import sys

sys.path.insert(0, sys.argv[1])

importlib.import_module(f"pytest_netbench.backends.containerlab.{sys.argv[2]}").main(*sys.argv[3:])
