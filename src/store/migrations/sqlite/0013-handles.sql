-- The socials and accounts of a passport as `source:name`, in lower case. Several passports may have the same one.
-- migrate/migration-13.ts fills the table.
create table handles (
  handle text not null,
  passport_id integer not null references passports (id),
  primary key (handle, passport_id)
) strict, without rowid;

create index handles_by_passport on handles (passport_id);
