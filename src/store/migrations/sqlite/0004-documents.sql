-- Where answers are that were made ahead of being asked for (see document-maker.ts); their bodies are in files beside the
-- database (document-files.ts). What follows keeps them true: one that would say something else is deleted.
create table passport_documents (
  passport_id integer primary key,
  place integer not null,
  hash integer not null
) strict;

create table credential_documents (
  passport_id integer primary key,
  place integer not null,
  hash integer not null
) strict;

-- The queue: every passport at rest (neither stale nor merged) that lacks a document.
create table undocumented (
  passport_id integer primary key
) strict;

-- The form of the documents. While those of another are cleared away, in the order of their ids, none can be trusted:
-- cleared_to is null when that is done.
create table document_state (
  one integer primary key check (one = 1),
  form text not null,
  cleared_to integer,
  -- Names the files, and where the next bodies go in them.
  generation text not null,
  passports_end integer not null,
  credentials_end integer not null
) strict;

insert into document_state (one, form, cleared_to, generation, passports_end, credentials_end)
values (1, '', null, '', 0, 0);

create trigger passport_document_deleted after delete on passport_documents
begin
  insert or ignore into undocumented
  select id from passports where id = old.passport_id and stale = 0 and merged_into is null;
end;

create trigger credential_document_deleted after delete on credential_documents
begin
  insert or ignore into undocumented
  select id from passports where id = old.passport_id and stale = 0 and merged_into is null;
end;

-- Not "or ignore": the conflict clause of the statement that inserts the passport would stand in its place.
create trigger passport_inserted after insert on passports
when new.stale = 0 and new.merged_into is null
begin
  insert into undocumented
  select new.id where not exists (select 1 from undocumented where passport_id = new.id);
end;

-- A passport that others were merged into has no document, and one that they left has one again.
create trigger merged_passport_inserted after insert on passports
when new.merged_into is not null
begin
  delete from passport_documents where passport_id = new.merged_into;
end;

create trigger passport_updated after update on passports
begin
  delete from passport_documents where passport_id = new.id;
  insert or ignore into undocumented
  select new.id where new.stale = 0 and new.merged_into is null;
end;

create trigger passport_merged after update of merged_into on passports
when old.merged_into is not new.merged_into
begin
  delete from passport_documents where passport_id in (old.merged_into, new.merged_into);
  delete from credential_documents where passport_id = new.id;
  insert or ignore into undocumented
  select id from passports where id = old.merged_into and stale = 0 and merged_into is null;
end;

create trigger passport_deleted after delete on passports
begin
  delete from passport_documents where passport_id = old.id;
  delete from credential_documents where passport_id = old.id;
  insert or ignore into undocumented
  select id from passports where id = old.merged_into and stale = 0 and merged_into is null;
  delete from undocumented where passport_id = old.id;
end;

create trigger credential_updated after update on credentials
begin
  delete from credential_documents where passport_id in (old.passport_id, new.passport_id);
end;

-- There is none for inserts, which would cost a third of an import's speed: credentials.ts does it.
create trigger credential_deleted after delete on credentials
begin
  delete from credential_documents where passport_id = old.passport_id;
end;
