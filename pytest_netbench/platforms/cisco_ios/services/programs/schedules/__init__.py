"""Services that change the node at moments of the lab's clock."""
