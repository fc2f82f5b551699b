"""Output that several ``show`` commands share: the state of ports, durations."""
