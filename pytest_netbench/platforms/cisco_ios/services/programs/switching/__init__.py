"""The switch: frames, trunks, port security, snooping."""
