-- The key that replaces this one.
alter table keys add column successor text;
