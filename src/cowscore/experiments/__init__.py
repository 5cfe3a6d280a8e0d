"""Recordings, trials of agents against them, and what came out."""
