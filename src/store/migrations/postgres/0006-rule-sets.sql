-- Every rule set that was applied. The setting active_rules has the stamp of the active one.
create table rule_sets (
  stamp text collate "C" primary key,
  body text not null,
  applied_at bigint not null,
  source text not null
);
