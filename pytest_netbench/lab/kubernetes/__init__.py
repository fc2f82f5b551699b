"""What backends of clusters share: a client of the API, what it knows, pods of workloads, roles of agents."""
