-- Writes versions of one kind to base, the only function that does. An update writes only the columns named.
create function {function}(session pg_catalog.uuid, seqs pg_catalog.int8[], kind pg_catalog."char", columns pg_catalog.text[])
returns pg_catalog.int8
language plpgsql volatile
as $cowscore$
#variable_conflict use_variable
declare
    _written pg_catalog.int8;
begin
    if kind = 'I' then
        insert into {base} ({stored}) overriding system value
        select {version_stored} from {source} c
        where c._cow_session = session and c._cow_seq = any (seqs)
        order by c._cow_seq;
    elsif kind = 'D' then
        delete from {base} b using {source} c
        where c._cow_session = session and c._cow_seq = any (seqs) and {version_is_base};
    else
        execute (
            select {update_head}
                || pg_catalog.string_agg(pg_catalog.format('%1$I = c.%1$I', n), ', ')
                || {update_tail}
            from pg_catalog.unnest(columns) n
        ) using session, seqs;
    end if;
    get diagnostics _written = row_count;
    return _written;
end
$cowscore$
