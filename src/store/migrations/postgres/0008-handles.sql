-- The socials and accounts of a passport as `source:name`, in lower case. Several passports may have the same one.
-- migrate/migration-8.ts fills the table.
create table handles (
  handle text collate "C" not null,
  passport_id bigint not null,
  primary key (handle, passport_id)
);

create index handles_by_passport on handles (passport_id);
