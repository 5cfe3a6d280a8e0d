update tasks set status = 'doing' where id = 'T-101';
