"""The behaviour of a network for many flows: observed, and compared with a recorded one."""
