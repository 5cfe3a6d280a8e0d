and not exists (select from {view} p where {parent_same} offset 0)
