-- The key that was made in its place.
alter table keys add column successor text;
