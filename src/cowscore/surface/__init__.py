"""What an agent can reach: the application's operations behind two tools, `discover` and `execute`."""
