"""What deploys labs; none knows another."""
