"""What an IOS terminal line does around a session: echo and line editing, ``?`` and Tab, paging, questions, passwords."""
