alter view {view} alter column {column} set default {expression}
