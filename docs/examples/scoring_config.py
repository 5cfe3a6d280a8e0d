import os

from cowscore import Cow, ScoringConfig


def lenient(gt, agent):
    """Comments are alike if they are about the same task."""
    return gt["task_id"] == agent["task_id"]


config = ScoringConfig(
    ignore={"tasks": ["due_date"], "*": ["search_vector"], "api_keys": ["*"]},
    comparators={"comments": lenient},
    weights={"struct": 0.4, "content_all": 0.4, "efficiency": 0.2},
    scores={"extra_rows": lambda score: len(score.extra)},
)
with Cow.connect(os.environ["COWSCORE_DSN"]) as cow:
    sessions = []
    for body in ("On thick paper", "Two-sided"):
        session = cow.open_session()
        with session.connect() as connection:
            connection.execute("insert into comments (task_id, body) values ('T-101', %s)", [body])
        connection.close()
        sessions.append(session.id)
    print(cow.score(*sessions).content)
    result = cow.score(*sessions, config=config)
    print(result.content, result.overall, dict(result.scores))
