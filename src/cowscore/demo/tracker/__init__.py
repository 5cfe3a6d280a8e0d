"""The tracker: a small project-management application, the thing that agents are scored on in the demo."""

from cowscore.demo.tracker.app import BOOKKEEPING, create_app
from cowscore.demo.tracker.tables import create_schema

__all__ = ["BOOKKEEPING", "create_app", "create_schema"]
