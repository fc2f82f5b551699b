"""The nodes of a lab as drivers use them: programs, files, terminals, daemons, counters. Knows no other node."""
