-- The JSON of list pages is stored once. Stored JSON has calculating_score false; readers correct it for stale passports.
alter table v1_passports rename column item to fields;
alter table v1_passports rename column body to more_fields;
update v1_passports set
  more_fields = substr(more_fields, length(fields) + 13, length(more_fields) - length(fields) - 14),
  fields = replace(substr(fields, 2, length(fields) - 2), '"calculating_score":true', '"calculating_score":false');
