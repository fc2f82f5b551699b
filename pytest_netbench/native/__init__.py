"""C programs of the netns backend and how they are built."""
