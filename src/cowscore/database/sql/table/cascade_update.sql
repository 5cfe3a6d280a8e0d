update {child} v set {assignments} where {child_matches}
