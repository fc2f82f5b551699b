"""The controller itself. It runs in a node, with the standard library and os-ken's OpenFlow messages."""
