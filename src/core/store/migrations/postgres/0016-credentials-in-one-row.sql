-- The tables of SQLite's migration 21.
alter table credentials rename to old_credentials;
alter index credentials_pkey rename to old_credentials_pkey;

create table credentials (
  passport_id bigint primary key,
  shown text not null,
  given text,
  issuers text not null
);
