-- The tables of SQLite's migration 14. The row of event_log is locked from the first number of a transaction to its end, so that
-- numbers are visible in their order.
create table events (
  sequence bigint primary key,
  passport_id bigint,
  time bigint not null,
  type smallint not null,
  data text not null
);

-- Without the sequence: equal keys are stored once. A passport has few events.
create index events_by_passport on events (passport_id) where passport_id is not null;

create table event_log (
  name text not null,
  first bigint not null,
  last bigint not null,
  time bigint not null,
  known_since bigint not null
);

insert into event_log values (
  substr(md5(random()::text), 1, 6), 1, 0, 0, (extract(epoch from clock_timestamp()) * 1000)::bigint
);

create table event_rules (
  id integer generated always as identity primary key,
  stamp text collate "C" not null unique
);
