create trigger {trigger} after {events} on {view}
for each statement{condition} execute function {function}()
