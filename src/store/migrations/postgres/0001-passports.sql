-- The tables, columns and values of SQLite, so that rows can be copied between the engines. Lists are JSON text; times are
-- epoch milliseconds; text is ordered by its bytes. No foreign keys: rows of a passport are written and removed together
-- with it (docs/decisions/0011).

create table passports (
  id bigint primary key,
  score double precision not null,
  activity_score double precision not null,
  identity_score double precision not null,
  skills_score double precision not null,
  -- 1: waits for a scorer. 2: scoring failed; waits for a change.
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
  -- The survivor; it may be imported after the passports merged into it.
  merged_into bigint,
  -- The human checkmark of the record; `human` is the result of scoring.
  given_human integer not null,
  -- Hash of the last record: importing the same record again changes nothing.
  fingerprint text not null,
  -- The rule set that calculated the scores; empty if they come from the record.
  rules text not null
);

-- The order of the list; merged passports are not listed.
create index passports_by_rank on passports (score desc, id) where merged_into is null;
create index passports_by_survivor on passports (merged_into) where merged_into is not null;
-- The queue of the scorers.
create index passports_stale on passports (id) where stale = 1;

create table wallets (
  address text collate "C" primary key,
  passport_id bigint not null
);

create index wallets_by_passport on wallets (passport_id);

create table credentials (
  passport_id bigint not null,
  id text collate "C" not null,
  type text not null,
  name text collate "C" not null,
  category text not null,
  score double precision not null,
  max_score double precision not null,
  value text not null,
  earned_at bigint,
  calculated_at bigint not null,
  -- The score of the record; null if a rule calculated the score.
  given_score double precision,
  -- Superseded by a data point of the same type: stored, but not shown.
  superseded integer not null,
  primary key (passport_id, id)
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

create table keys (
  id text collate "C" primary key,
  name text not null,
  hash bytea not null,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint
);

-- Removed passports; an import skips them unless it restores.
create table removals (
  passport_id bigint primary key,
  removed_at bigint not null
);

create table settings (
  name text collate "C" primary key,
  value text not null
);

-- The ETags that a mirror has seen, for conditional requests and for resuming.
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

-- Counters of changes that invalidate the caches of all nodes.
create table versions (
  name text primary key,
  version bigint not null
);

insert into versions (name, version) values ('ranking', 0), ('keys', 0);
