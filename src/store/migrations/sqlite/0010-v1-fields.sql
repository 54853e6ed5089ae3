-- The JSON of list pages is no longer stored twice. A stored response says that no score is being calculated; readers know better.
alter table v1_passports rename column item to fields;
alter table v1_passports rename column body to more_fields;
update v1_passports set
  more_fields = substr(more_fields, length(fields) + 13, length(more_fields) - length(fields) - 14),
  fields = replace(substr(fields, 2, length(fields) - 2), '"calculating_score":true', '"calculating_score":false');
