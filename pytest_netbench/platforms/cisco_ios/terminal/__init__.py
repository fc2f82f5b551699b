"""The terminal line around a session: echo, line editing, ``?`` and Tab, paging, questions, passwords."""
