"""What stands in for programs that GNS3 needs and that no distribution has here."""
