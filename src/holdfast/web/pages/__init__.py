"""One file per page: what it shows, as values. None of them holds a rule or an SQL statement."""
