"""Labs of containers, deployed by containerlab's own command line."""
