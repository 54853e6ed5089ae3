alter table keys add column tier text not null default 'standard';
alter table keys add column owner text not null default '';
alter table keys add column last_used_at integer;

-- How often one caller got one answer on one day; the key is empty for callers without one.
create table usage (
  day text not null,
  key_id text not null,
  endpoint text not null,
  status integer not null,
  count integer not null,
  primary key (day, key_id, endpoint, status)
) strict, without rowid;
