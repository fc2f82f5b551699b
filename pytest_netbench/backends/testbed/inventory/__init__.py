"""The file that describes a testbed, and the inventories of other programs that it names."""
