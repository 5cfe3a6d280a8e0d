-- Overlay views take this value for "no session".
alter table cowscore.sessions add check (id <> '00000000-0000-0000-0000-000000000000');
