"""Starts ``entrance`` without a package path: ``python -I -S launcher.py ROOT REQUEST``. Standard library only."""

import sys

sys.path.insert(0, sys.argv[1])

from pytest_netbench.backends.containerlab.entrance import main

main(sys.argv[2])
