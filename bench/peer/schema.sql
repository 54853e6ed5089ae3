-- Normalised tables. Keys and indexes are created after the rows are copied (indexes.sql).
create table passports (
  id bigint not null,
  score double precision not null,
  activity_score double precision not null,
  identity_score double precision not null,
  skills_score double precision not null,
  calculating_score boolean not null,
  connections_count integer not null,
  human_checkmark boolean not null,
  last_calculated_at timestamptz not null,
  main_wallet text not null,
  display_name text not null,
  bio text not null,
  location text not null
);

create table wallets (
  passport_id bigint not null,
  position integer not null,
  address text not null
);

create table tags (
  passport_id bigint not null,
  position integer not null,
  tag text not null
);

create table socials (
  passport_id bigint not null,
  position integer not null,
  source text not null,
  name text not null,
  display_name text not null,
  bio text not null,
  location text not null,
  url text not null,
  image_url text not null,
  followers text not null,
  following text not null
);

create table api_keys (
  hash bytea primary key,
  name text not null
);
