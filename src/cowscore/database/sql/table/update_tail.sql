 from {source} c join {changes} o on o._cow_session = $1 and o._cow_seq = c._cow_prev where c._cow_session = $1 and c._cow_seq = any ($2) and {image_is_base}
