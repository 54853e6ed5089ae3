-- The scores of the last record. Scoring never changes them, and a passport without a scored credential shows them.
alter table passports add column given_score real not null default 0;
alter table passports add column given_activity_score real not null default 0;
alter table passports add column given_identity_score real not null default 0;
alter table passports add column given_skills_score real not null default 0;

-- They are known only if no rule set has replaced them.
update passports set given_score = score, given_activity_score = activity_score,
  given_identity_score = identity_score, given_skills_score = skills_score
where rules = '' or not exists (select 1 from data_points where passport_id = id) and not exists (
  select 1 from credentials left join v1_credentials using (passport_id)
  where passport_id = id and coalesce(nullif(data, ''), body) not in ('[]', '{"passport_credentials":[]}')
);
