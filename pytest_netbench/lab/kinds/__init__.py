"""The table of kinds: what stands for which dialect, on the backends whose nodes are of others."""
