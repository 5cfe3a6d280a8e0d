-- What the table is called while a view has its name (layout `in_place`), null in the layout `overlay`.
alter table cowscore.tables add column base_name name;
