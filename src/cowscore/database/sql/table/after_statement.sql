create trigger {trigger} after {events} on {view}
for each statement execute function {function}()
