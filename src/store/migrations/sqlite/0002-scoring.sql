-- The human checkmark of the record; `human` is the result of scoring.
alter table passports add column given_human integer not null default 0;
update passports set given_human = human;

-- Hash of the last record: importing the same record again changes nothing.
alter table passports add column fingerprint text not null default '';

-- The rule set that calculated the scores; empty if they come from the record.
alter table passports add column rules text not null default '';

-- The queue of the scorers.
create index passports_stale on passports (id) where stale = 1;

-- The score of the record; null if a rule calculated the score.
alter table credentials add column given_score real;
update credentials set given_score = score;

-- Superseded by a data point of the same type: stored, but not shown.
alter table credentials add column superseded integer not null default 0;

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

-- Removed passports; an import skips them unless it restores.
create table removals (
  passport_id integer primary key,
  removed_at integer not null
) strict;

create table settings (
  name text primary key,
  value text not null
) strict, without rowid;

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
