alter table passports add primary key (id);
alter table wallets add primary key (passport_id, position);
create unique index on wallets (address);
alter table tags add primary key (passport_id, position);
alter table socials add primary key (passport_id, position);
vacuum analyze;
