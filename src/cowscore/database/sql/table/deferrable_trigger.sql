create constraint trigger {constraint} after insert on {changes}
deferrable initially {timing} for each row
when (NEW._cow_head and NEW._cow_kind operator(pg_catalog.=) any (array[{kinds}]))
execute function {function}()
