cat >> office/settings.py <<'PY'
INSTALLED_APPS += ["cowscore.integrations.django"]
MIDDLEWARE.insert(0, "cowscore.integrations.django.middleware.CowMiddleware")
PY
python manage.py check
