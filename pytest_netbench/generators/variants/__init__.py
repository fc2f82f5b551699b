"""Re-skins tasks of the corpus: the same task under other names, addresses and numbers."""
