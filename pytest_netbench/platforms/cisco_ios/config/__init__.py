"""The running-config: a tree of parsed lines in IOS's order, how it is edited and how it is printed."""
