-- What the record itself said of a human; `human` is that, or what scoring found.
alter table passports add column given_human integer not null default 0;
update passports set given_human = human;

-- Of the record as it was last written: the same record again changes nothing.
alter table passports add column fingerprint text not null default '';

-- The rule set that the saved scores were worked out with; empty where the record gave them.
alter table passports add column rules text not null default '';

-- The queue of the scorers.
create index passports_stale on passports (id) where stale = 1;

-- The score that the record carried; null where a rule worked it out.
alter table credentials add column given_score real;
update credentials set given_score = score;

-- A data point of the same type stands in its place: it is kept, and not shown.
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

-- Passports that were taken out, and do not come back by themselves.
create table removals (
  passport_id integer primary key,
  removed_at integer not null
) strict;

create table settings (
  name text primary key,
  value text not null
) strict, without rowid;

-- What a mirror has seen of each passport of a source, so that it can resume and ask only for what changed.
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
