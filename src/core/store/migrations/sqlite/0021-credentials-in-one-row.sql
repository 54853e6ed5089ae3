-- The credentials of a passport, as JSON in the record format (`rows/credential.ts`). The program converts the old rows.
alter table credentials rename to old_credentials;

create table credentials (
  passport_id integer primary key,
  -- The list that responses show.
  shown text not null,
  -- What the last record gave; null if it is the same.
  given text,
  -- JSON by credential id; empty if no issuer is known.
  issuers text not null
) strict;
