-- JSON of the fields that V2 adds to V1; empty if none is known. passports has those of the record, v1_passports those
-- that V2 shows.
alter table passports add column later_fields text not null default '';
alter table v1_passports add column later_fields text not null default '';
