-- Roles belong to the server, not to the database: another database may be making the same one just now.
do $cowscore$
begin
    create role {role} nologin;
exception when duplicate_object or unique_violation then
    null;
end
$cowscore$
