"""The tracker, a small application with data and recorded workflows, and the whole loop on it."""
