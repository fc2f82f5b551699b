"""What several ``show`` commands print: the state of ports, spans of time."""
