"""The app for INSTALLED_APPS: covers every database of the project and registers the system checks."""

from __future__ import annotations

from django.apps import AppConfig
from django.core import checks
from django.core.signals import request_finished

from cowscore.integrations.binding import register_binder
from cowscore.integrations.django.checks import check_middleware, check_passthrough
from cowscore.integrations.django.connection import cover_databases, release_connections


class CowConfig(AppConfig):
    """Connections of every alias follow the current binding from `ready` on."""

    name = "cowscore.integrations.django"
    label = "cowscore"
    verbose_name = "Copy-on-write sessions"

    def ready(self) -> None:
        """Called by Django once all apps are loaded."""
        cover_databases()
        register_binder("django")
        checks.register(check_middleware)
        checks.register(check_passthrough)
        request_finished.connect(release_connections, dispatch_uid="cowscore")
