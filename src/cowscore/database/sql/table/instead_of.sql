create trigger {trigger} instead of {event} on {view} for each row execute function {function}()
