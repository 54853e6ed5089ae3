-- The type of an event is its name, and its data is JSON. The program decodes the old events
-- (src/core/store/migrations/plain-events.ts) and drops their tables.
drop index events_by_passport;
alter table events rename to packed_events;

create table events (
  sequence integer primary key,
  -- Null for changes of the rule set and for tombstones.
  passport_id integer,
  time integer not null,
  type text not null,
  -- Who caused the event: cli, scorer, subject or key:ID. Null for events of 0.2.1.
  actor text,
  data text not null
) strict;

create index events_by_passport on events (passport_id) where passport_id is not null;
