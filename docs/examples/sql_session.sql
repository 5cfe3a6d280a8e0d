select cowscore.open_session('By SQL', 'agent', '{"ticket": 7}') as id \gset
begin;
select cowscore.bind(:'id', label => 'finish');
update tasks set status = 'done' where id = 'T-101';
commit;
select ordinal, label, tables from cowscore.operations(:'id');
select table_name, key, kind, after ->> 'status' as status from cowscore.changes(:'id');
select cowscore.close_session(:'id');
select cowscore.commit(:'id') as rows_written;
