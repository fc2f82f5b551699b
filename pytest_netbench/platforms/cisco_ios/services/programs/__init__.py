"""What runs in a node. Standard library and this package only; no module here may import anything above it."""
