-- The tables of SQLite's migration 20.
drop index events_by_passport;
alter table events rename to packed_events;
alter index events_pkey rename to packed_events_pkey;

create table events (
  sequence bigint primary key,
  passport_id bigint,
  time bigint not null,
  type text not null,
  actor text,
  data text not null
);

create index events_by_passport on events (passport_id) where passport_id is not null;
