-- The same tables, columns and values as the SQLite engine has: one can be copied into the other row by row.
-- Lists are JSON text; instants are epoch milliseconds; text is ordered by its bytes. What belongs to a passport is
-- written and removed with it, in one place: no foreign key looks after it row by row (docs/decisions/0011).

create table passports (
  id bigint primary key,
  score double precision not null,
  activity_score double precision not null,
  identity_score double precision not null,
  skills_score double precision not null,
  -- 1: waits for a scorer. 2: could not be scored, and waits for a change.
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
  -- The survivor, which may come into the database later than those merged into it.
  merged_into bigint,
  -- What the record itself said of a human; `human` is that, or what scoring found.
  given_human integer not null,
  -- Of the record as it was last written: the same record again changes nothing.
  fingerprint text not null,
  -- The rule set that the saved scores were worked out with; empty where the record gave them.
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
  -- The score that the record carried; null where a rule worked it out.
  given_score double precision,
  -- A data point of the same type stands in its place: it is kept, and not shown.
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

-- Passports that were taken out, and do not come back by themselves.
create table removals (
  passport_id bigint primary key,
  removed_at bigint not null
);

create table settings (
  name text collate "C" primary key,
  value text not null
);

-- What a mirror has seen of each passport of a source, so that it can resume and ask only for what changed.
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

-- Count the changes after which every node must read again what it holds in memory.
create table versions (
  name text primary key,
  version bigint not null
);

insert into versions (name, version) values ('ranking', 0), ('keys', 0);
