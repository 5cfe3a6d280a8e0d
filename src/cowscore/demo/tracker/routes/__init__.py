"""The tracker's routes, one module per part of the application."""
