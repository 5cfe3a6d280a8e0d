create or replace view {view} ({columns}){options} as
{definition}
