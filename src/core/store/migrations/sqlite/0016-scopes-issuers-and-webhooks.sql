-- Lists of a key are separated by blanks. Keys of earlier versions can read events; new keys need the scope.
alter table keys add column scopes text not null default 'read events';
-- The origins of a publishable key; empty for a secret key.
alter table keys add column origins text not null default '';
-- The types of data points that the issuer of the key may write, besides those of the rule set.
alter table keys add column types text not null default '';
-- 1 after the secret key was sent from a page in a browser.
alter table keys add column seen_in_browser integer not null default 0;

-- Who wrote the data point; empty for the operator.
alter table data_points add column issuer text not null default '';
-- When the passport first had the data point; 0 before this migration.
alter table data_points add column added_at integer not null default 0;

-- The account as accounts are compared (src/core/passport/passport.ts); empty if it is unknown or comes from a credential.
-- The case of other than ASCII letters is folded when the data point is written again.
alter table data_points add column account_key text not null default '';

update data_points set account_key = lower(ltrim(trim(account), '@')) where account not like 'credential:%';

create index data_points_by_account on data_points (type, account_key, added_at, passport_id) where account_key <> '';

-- When time alone changes the score: a data point expires.
alter table passports add column rescore_at integer;

create index passports_by_rescore on passports (rescore_at) where rescore_at is not null;

-- Webhooks. A subscription is a position in the event log with a URL.
create table subscriptions (
  id text primary key,
  key_id text not null,
  url text not null,
  -- JSON: types, passport, score threshold.
  filter text not null,
  -- JSON: the signing keys, newest first.
  secrets text not null,
  created_at integer not null,
  -- active, paused, failed or disabled.
  state text not null,
  -- The log, and the number of the last event that was delivered or filtered out.
  log text not null,
  position integer not null,
  failures integer not null default 0,
  failing_since integer,
  next_attempt_at integer not null default 0,
  last_error text not null default '',
  -- Says which events could not be delivered because the log no longer has them.
  notice text not null default '',
  last_delivered_at integer
) strict, without rowid;

-- Work that one node does at a time. The lease ends unless its holder renews it.
create table leases (
  name text primary key,
  holder text not null,
  expires_at integer not null
) strict, without rowid;

-- The hash chain of the event log (src/core/history/hash-chain.ts). `base` is the head before the event `first`; `head`
-- covers the events up to `head_at`.
alter table event_log add column base text not null default '0000000000000000000000000000000000000000000000000000000000000000';
alter table event_log add column head text not null default '0000000000000000000000000000000000000000000000000000000000000000';
alter table event_log add column head_at integer not null default 0;

update event_log set head_at = first - 1;

-- The secret behind the salts of a passport's events, deleted with the passport.
create table log_secrets (
  passport_id integer primary key,
  secret text not null default (lower(hex(randomblob(16))))
) strict;

insert into log_secrets (passport_id) select id from passports;

-- Events that removals deleted in earlier versions. From now on, a removal leaves tombstones: type 0, data is the leaf.
insert into events (sequence, time, type, data)
with recursive numbers (number) as (
  select first from event_log where first <= last
  union all
  select number + 1 from numbers where number < (select last from event_log)
)
select number, 0, 0, '0000000000000000000000000000000000000000000000000000000000000000' from numbers
where number not in (select sequence from events);

-- Score events no longer have the texts of credential values, only that a text changed.
update events set data = json_set(data, '$[3]', (
  select json_group_array(json(case when json_type(value, '$[6].v') is null then value else json_set(value, '$[6].v', '') end))
  from json_each(events.data, '$[3]')
)) where type = 6 and data like '%"v":%';

-- A hidden passport stays stored, but no response shows it.
alter table passports add column hidden_at integer;

create index passports_hidden on passports (id) where hidden_at is not null;

-- Challenges and sessions of people who prove a wallet. The id is a SHA-256; a session has no digest.
create table proofs (
  id text primary key,
  digest text not null,
  expires_at integer not null
) strict, without rowid;

create index proofs_by_expiry on proofs (expires_at);

-- Requests of people for corrections, until the operator has done them.
create table requests (
  id text primary key,
  passport_id integer not null,
  text text not null,
  created_at integer not null
) strict, without rowid;

create index requests_by_passport on requests (passport_id);

-- The SHA-256 of wallets of removed people: an import skips records with these wallets unless it restores.
create table barred_wallets (
  digest text primary key,
  removed_at integer not null
) strict, without rowid;

create index mirrored_by_passport on mirrored (passport_id);

-- The facets of listed passports (src/core/store/rows/facets.ts), filled by the program: SQL cannot fold names.
create table facets (
  passport_id integer primary key,
  record text not null default '',
  scores text not null default '',
  points text not null default ''
) strict;
