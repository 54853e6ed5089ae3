-- Who caused an event: cli, scorer, subject or key:ID. Null before this migration.
alter table events add column actor text;

-- Changes by people and keys that are no events.
create table audit (
  -- A UUID of version 7: in the order of time.
  id text primary key,
  time integer not null,
  actor text not null,
  action text not null,
  detail text not null
) strict, without rowid;
