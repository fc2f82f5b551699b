"""Agents that are programs of their own: started for each trial, confined, and answered over a socket."""
