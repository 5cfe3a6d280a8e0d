SESSION=$(cowscore session open --name "New groups")
cat > requests.py <<PY
from django.test import Client

client, inside = Client(), {"X-Cow-Session": "$SESSION"}
print("in the session:", client.post("/groups/editors", headers=inside).json())
print("in production: ", client.get("/groups").json())
for header in ("not a uuid", "00000000-0000-0000-0000-000000000000"):
    answer = client.post("/groups/lost", headers={"X-Cow-Session": header})
    print(answer.status_code, answer.json()["detail"])
PY
python manage.py shell -v 0 < requests.py 2> errors.log
cowscore session ops $SESSION
