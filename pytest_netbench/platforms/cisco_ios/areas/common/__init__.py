"""Code that several areas share."""
