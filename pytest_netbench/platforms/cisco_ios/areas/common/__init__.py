"""What several areas share."""
