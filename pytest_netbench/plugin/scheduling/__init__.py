"""Where and in what order trials run: workers of xdist, nodes of a Ray cluster. It does not judge results."""
