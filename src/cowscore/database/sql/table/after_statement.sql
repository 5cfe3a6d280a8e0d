create trigger _cow_statement after {events} on {view}
for each statement execute function {function}()
