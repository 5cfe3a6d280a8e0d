for row in recording.diff():
    print(row.kind, row.table, row.key, row.columns)
print(recording.record().metadata["prompt"])
