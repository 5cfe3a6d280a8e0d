-- With versions that were carried over: the rows as statements gave them. A column that was added has what the version got.
insert into {given} ({columns}_cow_session, _cow_seq)
select {values}v._cow_session, v._cow_seq
from {kept_given} v
join {changes} c on c._cow_session operator(pg_catalog.=) v._cow_session and c._cow_seq operator(pg_catalog.=) v._cow_seq
where v._cow_session = any ({sessions})
