"""The semantics matrix: probes in YAML files, run on plain PostgreSQL and in a session, and the page made of them."""
