-- The program fills the table again, as in SQLite's migration 17.
delete from handles;

alter table data_points add column written_for bigint;
