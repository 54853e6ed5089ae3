-- Where a wallet leads, for documents alone, in so few bytes that many fit into memory (see wallet-keys.ts).
create table wallet_keys (
  key integer primary key,
  owner integer not null
) strict;

-- Wallets that may lead elsewhere than their keys say, which are not used until that is settled.
create table moved_wallets (
  address text primary key
) strict, without rowid;

-- Not "or ignore": the conflict clause of the statement that changes the wallet would stand in its place.
create trigger wallet_deleted after delete on wallets
begin
  insert into moved_wallets
  select old.address where not exists (select 1 from moved_wallets where address = old.address);
end;

create trigger wallet_updated after update on wallets
begin
  insert into moved_wallets
  select old.address where not exists (select 1 from moved_wallets where address = old.address);
end;

-- The documents that are there have no keys: they are made anew.
update document_state set form = '';
