from pathlib import Path

from cowscore.experiments.results import Results, ResultsWriter
from cowscore.experiments.trials import Trial

with ResultsWriter(Path("results"), "example") as writer:
    writer.add(
        Trial(experiment="example", agent="a", workflow="w", surface="v1", number=1, seed=7, outcome="infrastructure")
    )
results = Results.read(Path("results"))
print(results.experiment, [(trial.id, trial.outcome) for trial in results.trials], results.finished())
print(Path("results/results.csv").read_text().splitlines()[0][:43], "..")
