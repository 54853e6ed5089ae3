-- The column and the table of SQLite's migration 15.
alter table events add column actor text;

create table audit (
  id text collate "C" primary key,
  time bigint not null,
  actor text not null,
  action text not null,
  detail text not null
);
