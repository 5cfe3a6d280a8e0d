from pathlib import Path

import httpx

from cowscore.experiments.runner import run
from cowscore.experiments.spec import Experiment
from cowscore.surface.openapi import Surface
from cowscore.surface.serving import serving

with serving(app) as url, httpx.Client(base_url=url) as client:
    results = run(
        Experiment(name="first", application={"base_url": url}, agents=["scripted:finisher"], trials=2),
        dsn=os.environ["COWSCORE_DSN"],
        agents=[Finisher()],
        surfaces={"v1": Surface(app.openapi(), client)},
        recordings=[Recording(name="finish", prompt=prompt, session=recording.id)],
        out=Path("results"),
    )
for trial in results.trials:
    print(trial.agent, trial.number, trial.outcome, trial.score.overall, trial.score.precision, trial.score.recall)
print("production untouched:", results.base.equal)
cow.close()
engine.dispose()
