create trigger {trigger} {timing} {events} on {view} for each statement{condition}
{call}
