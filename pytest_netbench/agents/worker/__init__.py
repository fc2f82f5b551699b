"""Agents that are Python classes of users, in a process of their own that is kept for many trials.

apart        (parent) the agent as trials know it, and the processes that a run keeps
process      (parent) one process: its start, its messages, what it prints, and how it ended
answering    (parent) answers requests of the agent: methods of the ANI, its cassette; nothing else
messages     (both) JSON-RPC messages on a socket, and errors in them
keeper       (child) started by the parent; starts the agent's process and ends all that it has started
inside       (child) makes the agent from its spec and lets it work
interface    (child) the ANI and the cassette as the agent sees them
"""
