"""What backends ask of the Linux kernel beyond Python's own calls. Standard library only."""
