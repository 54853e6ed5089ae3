-- The schema of version 0.2.1: the tables, columns and values of SQLite, so that rows can be copied between the engines. Text
-- is ordered by its bytes. No foreign keys: rows of a passport are written and removed together with it (docs/decisions/0011).

create table passports (
  id bigint primary key,
  score double precision not null,
  activity_score double precision not null,
  identity_score double precision not null,
  skills_score double precision not null,
  stale integer not null,
  calculated_at bigint not null,
  human integer not null,
  connections bigint not null,
  main_wallet text not null,
  verified_wallets text not null,
  display_name text not null,
  bio text not null,
  location text not null,
  tags text not null,
  socials text not null,
  merged_into bigint,
  given_human integer not null,
  fingerprint text not null,
  rules text not null,
  later_fields text not null default ''
);

create index passports_by_survivor on passports (merged_into) where merged_into is not null;
create index passports_stale on passports (id) where stale <> 0;

create table wallets (
  address text collate "C" primary key,
  passport_id bigint not null
);

create index wallets_by_passport on wallets (passport_id);

create table credentials (
  passport_id bigint primary key,
  data text not null
);

create table data_points (
  passport_id bigint not null,
  type text collate "C" not null,
  account text collate "C" not null,
  kind text not null,
  amount double precision not null,
  display text not null,
  earned_at bigint,
  primary key (passport_id, type, account)
);

create table handles (
  handle text collate "C" not null,
  passport_id bigint not null,
  primary key (handle, passport_id)
);

create index handles_by_passport on handles (passport_id);

create table v1_passports (
  passport_id bigint primary key,
  -- The transaction that wrote the row: readers of the ranking select newer rows.
  version bigint not null default pg_current_xact_id()::text::bigint,
  score double precision not null,
  name text not null,
  fields text not null,
  more_fields text not null,
  etag text not null,
  merged integer not null,
  later_fields text not null default ''
);

create index v1_passports_by_version on v1_passports (version);

create table v1_credentials (
  passport_id bigint primary key,
  body text not null,
  etag text not null
);

create table unlisted (
  passport_id bigint primary key,
  version bigint not null default pg_current_xact_id()::text::bigint
);

create index unlisted_by_version on unlisted (version);

create table removals (
  passport_id bigint primary key,
  removed_at bigint not null
);

create table keys (
  id text collate "C" primary key,
  name text not null,
  hash bytea not null,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint,
  tier text not null default 'standard',
  owner text not null default '',
  last_used_at bigint,
  successor text
);

create table usage (
  day text collate "C" not null,
  key_id text collate "C" not null,
  endpoint text collate "C" not null,
  status integer not null,
  count bigint not null,
  primary key (day, key_id, endpoint, status)
);

create table settings (
  name text collate "C" primary key,
  value text not null
);

create table rule_sets (
  stamp text collate "C" primary key,
  body text not null,
  applied_at bigint not null,
  source text not null
);

create table mirrored (
  source text collate "C" not null,
  passport_id bigint not null,
  passport_etag text not null,
  credentials_etag text not null,
  run integer not null,
  primary key (source, passport_id)
);

create table mirror_runs (
  source text collate "C" primary key,
  run integer not null,
  ended integer not null
);

create table events (
  sequence bigint primary key,
  passport_id bigint,
  time bigint not null,
  type smallint not null,
  data text not null
);

-- Without the sequence: equal keys are stored once. A passport has few events.
create index events_by_passport on events (passport_id) where passport_id is not null;

-- The row is locked from the first number of a transaction to its end, so that numbers are visible in their order.
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

-- Counters of changes that invalidate the caches of all nodes.
create table versions (
  name text primary key,
  version bigint not null
);

insert into versions (name, version) values ('ranking', 0), ('keys', 0);
