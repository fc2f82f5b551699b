"""Log messages: syslog and logged matches of access lists."""
