cowscore run experiment_tracker.yaml --out results
cut -d, -f2-5,7,8 results/results.csv
