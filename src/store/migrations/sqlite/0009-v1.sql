-- The first part of a migration that continues in sqlite/migrate/migration-9.ts.
drop trigger if exists passport_document_deleted;
drop trigger if exists credential_document_deleted;
drop trigger if exists passport_inserted;
drop trigger if exists merged_passport_inserted;
drop trigger if exists passport_updated;
drop trigger if exists passport_merged;
drop trigger if exists passport_deleted;
drop trigger if exists credential_updated;
drop trigger if exists credential_deleted;
drop trigger if exists wallet_deleted;
drop trigger if exists wallet_updated;

drop table if exists names;
drop table if exists passport_documents;
drop table if exists credential_documents;
drop table if exists undocumented;
drop table if exists document_state;
drop table if exists wallet_keys;
drop table if exists moved_wallets;
drop index if exists passports_by_rank;

-- Fingerprints become xxHash64: the old ones no longer match.
update passports set fingerprint = '';

alter table credentials rename to credential_rows;

-- Migration 12 adds both columns later_fields to databases that have passed this migration.
alter table passports add column later_fields text not null default '';

-- All credentials of a passport as one JSON list, including superseded ones.
create table credentials (
  passport_id integer primary key,
  data text not null
) strict;

-- V1 responses, rendered when a passport is written. Both tables hold listed passports only, no merged ones.
create table v1_passports (
  passport_id integer primary key,
  -- The transaction that wrote the row: readers of the ranking select newer rows.
  version integer not null,
  score real not null,
  -- The folded display name.
  name text not null,
  -- JSON members of list pages, those that the single-passport response adds, and its ETag.
  fields text not null,
  more_fields text not null,
  etag text not null,
  merged integer not null,
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
