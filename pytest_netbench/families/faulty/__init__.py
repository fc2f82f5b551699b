"""What families have in common whose networks may have something broken in them."""
