-- The event log says which passports have changed since the last read of the ranking.
drop table versions;
drop table unlisted;
drop index v1_passports_by_version;
alter table v1_passports drop column version;
