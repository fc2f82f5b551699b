"""Configuration languages: hierarchy, removal, canonical lines, free names, ordered lists, interface names, manuals.

Pure, by name. Must not know of a running node, a process or a socket, at any remove.
"""
