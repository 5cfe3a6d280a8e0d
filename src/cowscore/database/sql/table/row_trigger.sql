create trigger {trigger} {timing} {events} on {rows} for each row
when ({condition})
{call}
