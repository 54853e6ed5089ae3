-- V1 responses read from this index whether a score is being calculated.
drop index passports_stale;
create index passports_stale on passports (id) where stale <> 0;
