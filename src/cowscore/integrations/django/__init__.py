"""Django: an app and one middleware that put the requests of a project inside sessions."""
