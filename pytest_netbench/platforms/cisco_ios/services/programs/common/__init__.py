"""The process that runs services, and shared modules: loop, links, packets, batches."""
