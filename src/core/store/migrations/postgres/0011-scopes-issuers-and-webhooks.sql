-- The columns and tables of SQLite's migration 16.
alter table keys
  add column scopes text not null default 'read events',
  add column origins text not null default '',
  add column types text not null default '',
  add column seen_in_browser integer not null default 0;

alter table data_points
  add column issuer text not null default '',
  add column added_at bigint not null default 0,
  add column account_key text collate "C" not null default '';

update data_points set account_key = lower(ltrim(trim(account), '@')) where account not like 'credential:%';

create index data_points_by_account on data_points (type, account_key, added_at, passport_id) where account_key <> '';

alter table passports add column rescore_at bigint;

create index passports_by_rescore on passports (rescore_at) where rescore_at is not null;

create table subscriptions (
  id text collate "C" primary key,
  key_id text not null,
  url text not null,
  filter text not null,
  secrets text not null,
  created_at bigint not null,
  state text not null,
  log text not null,
  position bigint not null,
  failures bigint not null default 0,
  failing_since bigint,
  next_attempt_at bigint not null default 0,
  last_error text not null default '',
  notice text not null default '',
  last_delivered_at bigint
);

create table leases (
  name text collate "C" primary key,
  holder text not null,
  expires_at bigint not null
);

alter table event_log
  add column base text not null default repeat('0', 64),
  add column head text not null default repeat('0', 64),
  add column head_at bigint not null default 0;

update event_log set head_at = first - 1;

create table log_secrets (
  passport_id bigint primary key,
  secret text not null default replace(gen_random_uuid()::text, '-', '')
);

insert into log_secrets (passport_id) select id from passports;

insert into events (sequence, time, type, data)
select number, 0, 0, repeat('0', 64) from event_log, generate_series(first, last) as number
where not exists (select from events where sequence = number);

-- A quotation mark inside a text is escaped, so only the name of the member matches.
update events set data = regexp_replace(data, '"v":"([^"\\]|\\.)*"', '"v":""', 'g') where type = 6 and data like '%"v":%';

alter table passports add column hidden_at bigint;

create index passports_hidden on passports (id) where hidden_at is not null;

create table proofs (
  id text collate "C" primary key,
  digest text not null,
  expires_at bigint not null
);

create index proofs_by_expiry on proofs (expires_at);

create table requests (
  id text collate "C" primary key,
  passport_id bigint not null,
  text text not null,
  created_at bigint not null
);

create index requests_by_passport on requests (passport_id);

create table barred_wallets (
  digest text collate "C" primary key,
  removed_at bigint not null
);

create index mirrored_by_passport on mirrored (passport_id);

create table facets (
  passport_id bigint primary key,
  record text not null default '',
  scores text not null default '',
  points text not null default ''
);
