"""The backend ``kubeconfig``: clusters of Kubernetes that exist already. What is made there is removed again."""
