django-admin startproject office .
cat >> office/settings.py <<'PY'
import os
from psycopg import conninfo

server = conninfo.conninfo_to_dict(os.environ["COWSCORE_DSN"])
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": server["dbname"],
        "USER": server.get("user", ""),
        "PASSWORD": server.get("password", ""),
        "HOST": server.get("host", ""),
        "PORT": server.get("port", ""),
    }
}
ALLOWED_HOSTS = ["testserver"]
PY
cat > office/urls.py <<'PY'
from django.contrib.auth.models import Group
from django.http import JsonResponse
from django.urls import path


def add(request, name):
    Group.objects.create(name=name)
    return names(request)


def names(request):
    return JsonResponse({"groups": list(Group.objects.order_by("name").values_list("name", flat=True))})


urlpatterns = [path("groups/<str:name>", add), path("groups", names)]
PY
python manage.py migrate -v 0
