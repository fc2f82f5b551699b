"""Stored trials in the formats of other tools: trajectories (ATIF) and spans (OpenTelemetry), without ground truth."""
