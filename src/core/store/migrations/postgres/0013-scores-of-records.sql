-- The columns of SQLite's migration 18.
alter table passports add column given_score double precision not null default 0;
alter table passports add column given_activity_score double precision not null default 0;
alter table passports add column given_identity_score double precision not null default 0;
alter table passports add column given_skills_score double precision not null default 0;

-- They are known only if no rule set has replaced them.
update passports set given_score = score, given_activity_score = activity_score,
  given_identity_score = identity_score, given_skills_score = skills_score
where rules = '' or not exists (select 1 from data_points where passport_id = id) and not exists (
  select 1 from credentials left join v1_credentials using (passport_id)
  where passport_id = id and coalesce(nullif(data, ''), body) not in ('[]', '{"passport_credentials":[]}')
);
