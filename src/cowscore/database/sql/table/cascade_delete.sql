delete from {child} v where {child_matches}
