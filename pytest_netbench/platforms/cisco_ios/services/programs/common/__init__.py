"""The process that carries services, and what they share: loop, links, packets, batches."""
