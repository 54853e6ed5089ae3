-- Every rule set that was applied. The setting active_rules has the stamp of the active one.
create table rule_sets (
  stamp text primary key,
  body text not null,
  applied_at integer not null,
  source text not null
) strict;
