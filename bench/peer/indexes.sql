alter table passports add primary key (id);
create index on passports (score desc, id);
alter table wallets add primary key (passport_id, position);
create unique index on wallets (address);
alter table tags add primary key (passport_id, position);
alter table socials add primary key (passport_id, position);
alter table credentials add primary key (passport_id, id);
vacuum analyze;
