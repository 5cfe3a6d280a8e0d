"""Copy-on-write sessions over a live PostgreSQL application, and row-by-row scores of what an agent did in them."""
