-- Changes of passports, numbered in commit order. Rows of removed passports and pruned rows are gone; numbers are never reused.
create table events (
  sequence integer primary key,
  -- Null for changes of the rule set.
  passport_id integer,
  time integer not null,
  type integer not null,
  data text not null
) strict;

create index events_by_passport on events (passport_id) where passport_id is not null;

-- One row: the last number and time, the first number that is not pruned, and since when all changes are logged.
create table event_log (
  one integer primary key check (one = 1),
  name text not null,
  first integer not null,
  last integer not null,
  time integer not null,
  known_since integer not null
) strict;

insert into event_log values (1, lower(hex(randomblob(3))), 1, 0, 0, cast(unixepoch('subsec') * 1000 as integer));

-- The rule stamps in events.
create table event_rules (
  id integer primary key,
  stamp text not null unique
) strict;
