"""Log messages: syslog and logged access list matches."""
