"""What this machine supports for labs, and what to do about each lack. Knows no lab and no node."""
