cat > nightly.py <<PY
from uuid import UUID

from django.contrib.auth.models import Group

from cowscore.integrations.binding import bound

with bound(UUID("$SESSION"), label="nightly"):
    Group.objects.all().update(name="night shift")
    print("in the session:", list(Group.objects.values_list("name", flat=True)))
print("in production: ", list(Group.objects.values_list("name", flat=True)))
PY
python manage.py shell -v 0 < nightly.py
