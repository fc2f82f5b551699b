"""The running-config: a tree of parsed lines in IOS's order, its edits and its text."""
