select cowscore.open_session('By hand') as id \gset
begin;
select cowscore.bind(:'id');
update tasks set status = 'done' where id = 'T-101';
select status from tasks where id = 'T-101';
commit;
select status from tasks where id = 'T-101';
