select cowscore.open_session('Refused') as id \gset
\set ON_ERROR_STOP off
\set VERBOSITY sqlstate
select cowscore.bind(:'id');
begin;
select cowscore.bind('00000000-0000-4000-8000-000000000001');
rollback;
update public_cow.tasks set status = 'done';
