insert into {rows} as r ({stored}) values ({new_stored}) returning r.ctid, {returned} into _cow_at, {new_stored}
