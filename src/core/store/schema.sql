-- The tables of both engines. `sql/words.ts` replaces the words in capitals: INT (64 bits), REAL, KEY (a text in the order
-- of its bytes), ROWS and PAIRS (the ends of tables). Times are epoch milliseconds. There are no foreign keys: rows of a
-- passport are written with it, and a removal empties every table with a column `passport_id`.

-- A passport is read and written as a whole. JSON is in the record format, so that responses contain it unparsed.
create table passports (
  id INT primary key,
  -- The survivor; it may be imported after the passports merged into it.
  merged_into INT,
  -- A hidden passport stays stored, but no response shows it.
  hidden_at INT,
  -- 1: waits for a scorer. 2: scoring failed; waits for a change.
  stale integer not null,
  score REAL not null, activity_score REAL not null, identity_score REAL not null, skills_score REAL not null,
  human integer not null, calculated_at INT not null,
  -- The rule set that calculated the scores; empty if they come from the record.
  rules text not null,
  -- When time alone changes the score: a data point expires.
  rescore_at INT,
  -- Hash of the last record: importing the same record again changes nothing.
  fingerprint text not null,
  connections INT not null, main_wallet text not null,
  -- JSON, as the next ones.
  verified_wallets text not null, profile text not null, socials text not null,
  -- What the last record said. Scoring never changes it; a passport without a scored credential shows these scores.
  given text not null
) ROWS;

create index passports_by_survivor on passports (merged_into) where merged_into is not null;
-- The queue of the scorers.
create index passports_stale on passports (id) where stale <> 0;
create index passports_by_rescore on passports (rescore_at) where rescore_at is not null;
create index passports_hidden on passports (id) where hidden_at is not null;

create table wallets (address KEY primary key, passport_id INT not null) PAIRS;

create index wallets_by_passport on wallets (passport_id);

-- JSON in the record format (`rows/credential.ts`).
create table credentials (
  passport_id INT primary key,
  -- The list that responses show.
  shown text not null,
  -- What the last record gave; null if it is the same.
  given text,
  -- JSON by credential id; empty if no issuer is known.
  issuers text not null
) ROWS;

create table data_points (
  passport_id INT not null, type KEY not null, account KEY not null, kind text not null, amount REAL not null,
  display text not null, earned_at INT,
  -- Who wrote the data point; empty for the operator.
  issuer text not null,
  -- When the passport first had the data point; 0 before version 0.3.0.
  added_at INT not null,
  -- The account as accounts are compared (`accountKeyOf`); empty if it is unknown or comes from a credential.
  account_key KEY not null,
  -- The merged passport whose id or wallet was written; an unmerge gives it the data point.
  written_for INT,
  primary key (passport_id, type, account)
) PAIRS;

create index data_points_by_account on data_points (type, account_key, added_at, passport_id) where account_key <> '';

-- Removed passports, and the SHA-256 of wallets of removed people: an import skips their records unless it restores.
create table removals (passport_id INT primary key, removed_at INT not null) ROWS;

create table barred_wallets (digest KEY primary key, removed_at INT not null) PAIRS;

-- Derived: the socials and accounts of passports as `source:name`, folded. Several passports may have the same one.
create table handles (handle KEY not null, passport_id INT not null, primary key (handle, passport_id)) PAIRS;

create index handles_by_passport on handles (passport_id);

-- Derived: what rankings, searches and filters need of visible passports (`rows/listing.ts`). The name is folded.
create table listing (
  passport_id INT primary key, score REAL not null, name text not null, facets text not null
) ROWS;

-- Derived: copies of the index in chunks (`sql/saved-index.ts`). They have names, so a removal of people empties it.
create table saved_index (
  copy KEY not null, position INT not null, chunk text not null, primary key (copy, position)
) PAIRS;

-- One row: the last number and time, the first number that is not pruned, and since when all changes are logged. On
-- PostgreSQL it is locked from the first number of a transaction to its end, so that numbers become visible in order.
create table event_log (
  one integer primary key check (one = 1), name text not null, first INT not null, last INT not null,
  time INT not null, known_since INT not null,
  -- The hash chain: `base` is the head before the event `first`, `head` covers the events up to `head_at`.
  base text not null, head text not null, head_at INT not null
) ROWS;

-- Changes of passports, numbered in commit order. Rows of pruned events are gone; numbers are never reused.
create table events (
  sequence INT primary key,
  -- Null for changes of the rule set and for tombstones.
  passport_id INT,
  -- The actor is cli, scorer, subject or key:ID, null for events of 0.2.1. `data` is JSON.
  time INT not null, type text not null, actor text, data text not null
) ROWS;

-- Without the sequence: equal keys are stored once. A passport has few events.
create index events_by_passport on events (passport_id) where passport_id is not null;

-- The secret behind the salts of a passport's events, deleted with the passport.
create table log_secrets (passport_id INT primary key, secret text not null) ROWS;

-- Changes by people and keys that are no events. The id is a UUID of version 7: in the order of time.
create table audit (
  id KEY primary key, time INT not null, actor text not null, action text not null, detail text not null
) PAIRS;

create table settings (name KEY primary key, value text not null) PAIRS;

-- Every rule set that was applied. The setting active_rules has the stamp of the active one.
create table rule_sets (stamp KEY primary key, body text not null, applied_at INT not null, source text not null) ROWS;

-- The fields of `ApiKey` (`api-key.ts`). The hash is hexadecimal; lists are separated by blanks.
create table keys (
  id KEY primary key, name text not null, hash text not null, created_at INT not null, expires_at INT, revoked_at INT,
  tier text not null, owner text not null, last_used_at INT, successor text, scopes text not null, origins text not null,
  types text not null, seen_in_browser integer not null
) PAIRS;

-- Feature keys: responses per day, key, endpoint and status; the key is empty for clients without a key.
create table usage (
  day KEY not null, key_id KEY not null, endpoint KEY not null, status integer not null, count INT not null,
  primary key (day, key_id, endpoint, status)
) PAIRS;

-- Feature mirror: the ETags that a mirror has seen, for conditional requests and for resuming.
create table mirrored (
  source KEY not null, passport_id INT not null, passport_etag text not null, credentials_etag text not null,
  run integer not null, primary key (source, passport_id)
) PAIRS;

create index mirrored_by_passport on mirrored (passport_id);

create table mirror_runs (source KEY primary key, run integer not null, ended integer not null) PAIRS;

-- Feature webhooks: a subscription is a position in the event log with a URL.
create table subscriptions (
  id KEY primary key, key_id text not null, url text not null,
  -- JSON: types, passport, score threshold. `secrets` is JSON, too: the signing keys, newest first.
  filter text not null, secrets text not null,
  -- The state is active, paused, failed or disabled.
  created_at INT not null, state text not null,
  -- The log, and the number of the last event that was delivered or filtered out.
  log text not null,
  position INT not null, failures integer not null, failing_since INT, next_attempt_at INT not null,
  -- `notice` says which events could not be delivered because the log no longer has them.
  last_error text not null, notice text not null, last_delivered_at INT
) PAIRS;

-- Feature webhooks: work that one node does at a time. The lease ends unless its holder renews it.
create table leases (name KEY primary key, holder text not null, expires_at INT not null) PAIRS;

-- Feature own-record: challenges and sessions. The id is a SHA-256; a session has no digest.
create table proofs (id KEY primary key, digest text not null, expires_at INT not null) PAIRS;

create index proofs_by_expiry on proofs (expires_at);

-- Feature own-record: requests of people for corrections, until the operator has done them.
create table requests (
  id KEY primary key, passport_id INT not null, text text not null, created_at INT not null
) PAIRS;

create index requests_by_passport on requests (passport_id);
