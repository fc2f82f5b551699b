"""Applications on a cluster: their graphs, the objects that deploy them, and the flows that must work in them."""
