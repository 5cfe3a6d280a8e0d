-- Every written row looks for its transaction here: one index that leads to it, and to a session's writers too.
drop index cowscore.writers_session_id_idx;
alter table cowscore.writers
    drop constraint writers_pkey,
    add primary key (session_id, transaction, operation_id);
