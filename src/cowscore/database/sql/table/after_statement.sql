create trigger _cow_statement after insert or update or delete on {view}
for each statement execute function {function}()
