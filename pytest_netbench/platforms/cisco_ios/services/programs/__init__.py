"""Programs that run in a node. They may import only the standard library and this package."""
