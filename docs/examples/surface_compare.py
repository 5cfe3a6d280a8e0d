from cowscore.scoring.statistics import compare

v1 = {"Sprint Kickoff": [0.0, 0.1], "Bug Escalation": [0.4, 0.5], "Campaign Push": [0.0, 0.0]}
v2 = {"Sprint Kickoff": [1.0, 0.9], "Bug Escalation": [0.8, 1.0], "Campaign Push": [1.0, 1.0]}
found = compare(v1, v2)
print(f"difference {found.difference:+.3f}, p {found.p:.2f}")
print(f"these workflows:      {found.these_workflows.low:+.3f} to {found.these_workflows.high:+.3f}")
print(f"workflows like these: {found.workflows_like_these.low:+.3f} to {found.workflows_like_these.high:+.3f}")
