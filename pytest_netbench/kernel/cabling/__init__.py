"""The links of networks outside of their nodes: cut, shaped and joined by the kernel. Standard library only."""
