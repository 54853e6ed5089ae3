alter table keys add column tier text not null default 'standard';
alter table keys add column owner text not null default '';
alter table keys add column last_used_at bigint;

-- Responses per day, key, endpoint and status; the key is empty for clients without a key.
create table usage (
  day text collate "C" not null,
  key_id text collate "C" not null,
  endpoint text collate "C" not null,
  status integer not null,
  count bigint not null,
  primary key (day, key_id, endpoint, status)
);
