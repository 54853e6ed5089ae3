-- The first part of a migration that continues in sqlite/store-v1.ts.
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

-- The fingerprints of records become xxHash64: no record is recognised by its old one.
update passports set fingerprint = '';

alter table credentials rename to credential_rows;

-- The credentials of a passport as one JSON list, those that are not shown included.
create table credentials (
  passport_id integer primary key,
  data text not null
) strict;

-- V1 responses, rendered when a passport is written. Both tables hold listed passports only: a merged one has no row.
create table v1_passports (
  passport_id integer primary key,
  -- The transaction that wrote the row: a reader of the ranking asks for what is newer than what it has.
  version integer not null,
  score real not null,
  -- The folded display name.
  name text not null,
  -- JSON members: those in list pages, and those that only the single-passport response adds; and its ETag.
  fields text not null,
  more_fields text not null,
  etag text not null,
  merged integer not null
) strict;

-- Covers what the ranking reads.
create index v1_passports_by_version on v1_passports (version, passport_id, score, name);

create table v1_credentials (
  passport_id integer primary key,
  body text not null,
  etag text not null
) strict;

-- Passports that were listed and no longer are.
create table unlisted (
  passport_id integer primary key,
  version integer not null
) strict;

create index unlisted_by_version on unlisted (version);
