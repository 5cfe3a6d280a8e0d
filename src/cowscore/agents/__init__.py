"""Agents that work through `discover` and `execute`: scripts that need no model, and models of any provider."""
