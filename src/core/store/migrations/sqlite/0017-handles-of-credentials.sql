-- Names in the texts of credentials are handles, too. The program fills the table again: SQL cannot fold all names.
delete from handles;

-- The merged passport whose id or wallet was written; an unmerge gives it the data point.
alter table data_points add column written_for integer;
