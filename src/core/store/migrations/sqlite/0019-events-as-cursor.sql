-- The event log says which passports have changed since the last read of the ranking.
drop table ranking;
drop table unlisted;
drop index v1_passports_by_version;
alter table v1_passports drop column version;

-- Covering index of the ranking.
create index v1_passports_listed on v1_passports (passport_id, score, name);
