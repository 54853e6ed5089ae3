-- The first part of a migration that continues in postgres/migrate/migration-4.ts. The tables are those of SQLite's migration 9.
drop index if exists passports_by_rank;

update passports set fingerprint = '';

alter table credentials rename to credential_rows;
alter index credentials_pkey rename to credential_rows_pkey;

-- Migration 7 adds both columns later_fields to databases that have passed this migration.
alter table passports add column later_fields text not null default '';

create table credentials (
  passport_id bigint primary key,
  data text not null
);

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
