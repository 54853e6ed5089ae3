-- A passport is read and written as a whole. Lists are JSON text; times are epoch milliseconds.
-- merged_into is the survivor; it may be imported after the passports merged into it.
create table passports (
  id integer primary key,
  score real not null,
  activity_score real not null,
  identity_score real not null,
  skills_score real not null,
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
  merged_into integer
) strict;

-- The order of the list; merged passports are not listed. It includes merged_into to be a covering index.
create index passports_by_rank on passports (score desc, id, merged_into) where merged_into is null;
create index passports_by_survivor on passports (merged_into) where merged_into is not null;

create table wallets (
  address text primary key,
  passport_id integer not null references passports (id)
) strict, without rowid;

create index wallets_by_passport on wallets (passport_id);

-- Clustered by passport: the credentials of one passport are adjacent.
create table credentials (
  passport_id integer not null references passports (id),
  id text not null,
  type text not null,
  name text not null,
  category text not null,
  score real not null,
  max_score real not null,
  value text not null,
  earned_at integer,
  calculated_at integer not null,
  primary key (passport_id, id)
) strict, without rowid;

create table keys (
  id text primary key,
  name text not null,
  hash blob not null,
  created_at integer not null,
  expires_at integer,
  revoked_at integer
) strict, without rowid;

-- Counter of changes that invalidate the ranking.
create table ranking (
  one integer primary key check (one = 1),
  version integer not null
) strict;

insert into ranking (one, version) values (1, 0);
