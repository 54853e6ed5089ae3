-- The schema of version 0.2.1. A passport is read and written as a whole. Lists are JSON text; times are epoch milliseconds.
create table passports (
  id integer primary key,
  score real not null,
  activity_score real not null,
  identity_score real not null,
  skills_score real not null,
  -- 1: waits for a scorer. 2: scoring failed; waits for a change.
  stale integer not null,
  calculated_at integer not null,
  human integer not null,
  connections integer not null,
  main_wallet text not null,
  verified_wallets text not null,
  display_name text not null,
  bio text not null,
  location text not null,
  tags text not null,
  socials text not null,
  -- The survivor; it may be imported after the passports merged into it.
  merged_into integer,
  -- The human checkmark of the record; `human` is the result of scoring.
  given_human integer not null default 0,
  -- Hash of the last record: importing the same record again changes nothing.
  fingerprint text not null default '',
  -- The rule set that calculated the scores; empty if they come from the record.
  rules text not null default '',
  -- JSON of the fields of the record that V2 adds to V1; empty if none is known.
  later_fields text not null default ''
) strict;

create index passports_by_survivor on passports (merged_into) where merged_into is not null;
-- The queue of the scorers. V1 responses read from this index whether a score is being calculated.
create index passports_stale on passports (id) where stale <> 0;

create table wallets (
  address text primary key,
  passport_id integer not null references passports (id)
) strict, without rowid;

create index wallets_by_passport on wallets (passport_id);

-- All credentials of a passport as one JSON list, including superseded ones.
create table credentials (
  passport_id integer primary key,
  data text not null
) strict;

create table data_points (
  passport_id integer not null references passports (id),
  type text not null,
  account text not null,
  kind text not null,
  amount real not null,
  display text not null,
  earned_at integer,
  primary key (passport_id, type, account)
) strict, without rowid;

-- The socials and accounts of a passport as `source:name`, in lower case. Several passports may have the same one.
create table handles (
  handle text not null,
  passport_id integer not null references passports (id),
  primary key (handle, passport_id)
) strict, without rowid;

create index handles_by_passport on handles (passport_id);

-- V1 responses, rendered when a passport is written. Both tables hold listed passports only, no merged ones.
create table v1_passports (
  passport_id integer primary key,
  -- The transaction that wrote the row: readers of the ranking select newer rows.
  version integer not null,
  score real not null,
  -- The folded display name.
  name text not null,
  -- JSON members of list pages, those that the single-passport response adds, and its ETag. Stored JSON has
  -- calculating_score false; readers correct it for stale passports.
  fields text not null,
  more_fields text not null,
  etag text not null,
  merged integer not null,
  -- JSON of the fields that V2 shows.
  later_fields text not null default ''
) strict;

-- Covering index of the ranking.
create index v1_passports_by_version on v1_passports (version, passport_id, score, name);

create table v1_credentials (
  passport_id integer primary key,
  body text not null,
  etag text not null
) strict;

-- Passports that are no longer listed.
create table unlisted (
  passport_id integer primary key,
  version integer not null
) strict;

create index unlisted_by_version on unlisted (version);

-- Removed passports; an import skips them unless it restores.
create table removals (
  passport_id integer primary key,
  removed_at integer not null
) strict;

create table keys (
  id text primary key,
  name text not null,
  hash blob not null,
  created_at integer not null,
  expires_at integer,
  revoked_at integer,
  tier text not null default 'standard',
  owner text not null default '',
  last_used_at integer,
  -- The key that replaces this one.
  successor text
) strict, without rowid;

-- Responses per day, key, endpoint and status; the key is empty for clients without a key.
create table usage (
  day text not null,
  key_id text not null,
  endpoint text not null,
  status integer not null,
  count integer not null,
  primary key (day, key_id, endpoint, status)
) strict, without rowid;

create table settings (
  name text primary key,
  value text not null
) strict, without rowid;

-- Every rule set that was applied. The setting active_rules has the stamp of the active one.
create table rule_sets (
  stamp text primary key,
  body text not null,
  applied_at integer not null,
  source text not null
) strict;

-- The ETags that a mirror has seen, for conditional requests and for resuming.
create table mirrored (
  source text not null,
  passport_id integer not null,
  passport_etag text not null,
  credentials_etag text not null,
  run integer not null,
  primary key (source, passport_id)
) strict, without rowid;

create table mirror_runs (
  source text primary key,
  run integer not null,
  ended integer not null
) strict, without rowid;

-- Changes of passports, numbered in commit order. Rows of removed passports and pruned rows are gone; numbers are never reused.
create table events (
  sequence integer primary key,
  -- Null for changes of the rule set.
  passport_id integer,
  time integer not null,
  type integer not null,
  data text not null
) strict;

create index events_by_passport on events (passport_id) where passport_id is not null;

-- One row: the last number and time, the first number that is not pruned, and since when all changes are logged.
create table event_log (
  one integer primary key check (one = 1),
  name text not null,
  first integer not null,
  last integer not null,
  time integer not null,
  known_since integer not null
) strict;

insert into event_log values (1, lower(hex(randomblob(3))), 1, 0, 0, cast(unixepoch('subsec') * 1000 as integer));

-- The rule stamps in events.
create table event_rules (
  id integer primary key,
  stamp text not null unique
) strict;

-- Counter of changes that invalidate the ranking.
create table ranking (
  one integer primary key check (one = 1),
  version integer not null
) strict;

insert into ranking (one, version) values (1, 0);
