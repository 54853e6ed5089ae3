-- The order of the list with its names, so that both are read alone, side by side.
drop index passports_by_rank;
create index passports_by_rank on passports (score desc, id, merged_into, display_name) where merged_into is null;
