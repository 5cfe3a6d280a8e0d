create view {view} ({columns}){options} as
{definition}
