-- Where documents lie is kept in a file as well, by id (see document-places.ts), which is as the database left it where it bears this
-- mark. While it is filled, in the order of ids, placed_to tells how far; it is null when that is done.
alter table document_state add column places_mark integer not null default 0;
alter table document_state add column placed_to integer default -1;

-- Whatever loses its document is queued, at rest or not: the file tells of it until it has been through the queue.
drop trigger passport_document_deleted;
create trigger passport_document_deleted after delete on passport_documents
begin
  insert or ignore into undocumented values (old.passport_id);
end;

drop trigger credential_document_deleted;
create trigger credential_document_deleted after delete on credential_documents
begin
  insert or ignore into undocumented values (old.passport_id);
end;

drop trigger passport_deleted;
create trigger passport_deleted after delete on passports
begin
  delete from passport_documents where passport_id = old.id;
  delete from credential_documents where passport_id = old.id;
  insert or ignore into undocumented
  select id from passports where id = old.merged_into and stale = 0 and merged_into is null;
end;
