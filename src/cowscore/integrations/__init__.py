"""Objects that put the requests and transactions of an application inside a session."""
