import Type, { type Static } from 'typebox'
import {
  closed,
  describedObject,
  instant,
  orNull,
  score,
  withOptionalFields,
} from '../basics/schema-helpers.ts'
import { Diff } from '../history/event-schema.ts'
import { RuleSetFile } from '../passport/rules/rule-set.ts'
import * as record from '../passport/wire-schemas.ts'

const nullableText = (description = 'null if unknown') => orNull(Type.String(), description)
const nullableCount = () =>
  orNull(Type.Integer({ minimum: 0 }), 'null if unknown, or if it is not a plain number')

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'Always `about:blank`: `code` identifies the problem' }),
    title: Type.String({ description: 'The name of the status' }),
    status: Type.Integer(),
    detail: Type.String({ description: 'A message for people' }),
    code: Type.String({ description: 'Stable, for programs' }),
    request_id: Type.String({ description: 'Identifies the request in the log of the service' }),
    errors: Type.Array(
      closed({
        pointer: Type.String({
          description:
            'A JSON Pointer into the body as a URI fragment, such as `#/keys/3`, `?` and the name of a parameter, or `{key}`',
        }),
        detail: Type.String(),
        line: Type.Optional(
          Type.Integer({
            minimum: 1,
            description: 'The record of the body; the pointer of NDJSON is into its line',
          }),
        ),
      }),
      { description: 'The invalid values; empty for other problems' },
    ),
  },
  {
    additionalProperties: true,
    description: 'The body of every error of v3 (RFC 9457); some codes add members',
  },
)

export const Profile = describedObject('The self-description of a person', {
  display_name: nullableText('The name of the person; null if unknown'),
  bio: nullableText('Some sentences about the person; null if unknown'),
  location: nullableText('A place as the person wrote it; null if unknown'),
  tags: Type.Array(Type.String(), { description: 'Words such as `builder`' }),
})

export const Social = describedObject('A linked social profile', {
  source: Type.String({ description: 'The social network, such as `lens`; an open set' }),
  profile_name: nullableText('null if unknown. A key: `lens:zoe`'),
  profile_display_name: nullableText(),
  profile_bio: nullableText(),
  location: nullableText(),
  profile_url: nullableText(),
  profile_image_url: nullableText(),
  follower_count: nullableCount(),
  following_count: nullableCount(),
})

export const Credential = describedObject('A scored item of a passport', {
  id: Type.String({ description: 'An opaque string' }),
  type: Type.String({ description: 'A machine-readable type such as `active_wallet`; an open set' }),
  name: Type.String({ description: 'Display name' }),
  category: record.Credential.properties.category,
  score: score('The score of this credential'),
  max_score: score('The maximum score of a credential of this type'),
  value: nullableText('Display text of the fact that was scored; null if unknown'),
  earned_at: orNull(Type.String({ format: 'date-time' }), 'null if unknown'),
  last_calculated_at: instant('Time of the last calculation of the score'),
  issuer: nullableText(
    'Who wrote the data point behind the score; null for the operator, and where `from` is not `rule`',
  ),
  from: orNull(
    Type.Enum(['record', 'rule']),
    'The score comes from the record, or a rule calculated it; null while newer credentials wait for a score, and with `as_of` if the credential changed since',
  ),
})

const RANK = {
  rank: Type.Integer({ minimum: 1, description: '1 for the highest score; equal scores have equal ranks' }),
  of: Type.Integer({ minimum: 0, description: 'Number of ranked passports' }),
}

const PLACE = {
  ...RANK,
  percentile: Type.Number({
    minimum: 0,
    maximum: 100,
    description: 'Percent of passports with a lower score, rounded down to one decimal',
  }),
}

export const Standing = describedObject('The place of the score among all listed passports', {
  ...PLACE,
  parts: closed({ activity: closed(PLACE), identity: closed(PLACE), skills: closed(PLACE) }),
  list: Type.Optional({
    ...closed(RANK),
    description:
      'In lists: the place by the order of the list among all passports that match `filter`; absent in lists by `passport_id` and by change',
  }),
})

export const ExplanationAccount = closed({
  account: nullableText('null if there is only one'),
  value: Type.String({ description: 'Display text' }),
  kind: Type.Enum(['number', 'flag', 'date'], { description: 'The kind of the raw value' }),
  amount: Type.Number({ description: 'The exact raw value: a number, 1 or 0, or milliseconds since 1970' }),
  counts: Type.Boolean({
    description: 'False if it is expired, has no rule, or its account counts only for who had it first',
  }),
  formula: nullableText('null without a rule'),
  issuer: nullableText('Who wrote the data point; null for the operator'),
})

export const ExplanationLine = describedObject('How the score of one credential is calculated', {
  type: Type.String(),
  name: Type.String(),
  category: nullableText('null without a rule'),
  score: score('The score of the credential'),
  max_score: score('The maximum score of a credential of this type'),
  from: Type.Enum(['record', 'rule', 'nothing'], { description: '`nothing`: no rule for the type' }),
  given_score: orNull(Type.Number(), 'The score as the record gives it; null unless `from` is `record`'),
  formula: Type.String({ description: 'How the score is calculated' }),
  accounts: Type.Array(ExplanationAccount, {
    maxItems: 20,
    description: 'The data points of the type, at most 20: those that count come first',
  }),
  more_accounts: Type.Integer({ minimum: 0, description: 'Number of data points that are not shown' }),
  accounts_link: nullableText('The path of all data points; null if all are shown'),
})

export const Explanation = describedObject('How the score is calculated', {
  method: Type.Enum(['rules', 'record'], {
    description: '`record`: the score came with the record, and no known rule set gives it',
  }),
  rules: nullableText('The rule set of the lines; see `/api/v3/rules/{stamp}`. null for the method `record`'),
  score: score('The score of the passport; the lines may give another one while it is being calculated'),
  given_human: Type.Boolean({ description: 'The human checkmark of the record' }),
  lines: Type.Array(ExplanationLine),
  caps: Type.Record(Type.String(), Type.Number({ minimum: 0 }), {
    description: 'The largest contribution of a category to the overall score',
  }),
})

export const Passport = describedObject("A person's reputation record", {
  passport_id: Type.Integer({ minimum: 0 }),
  score: score('The overall score'),
  activity_score: score('Sum of the scores of the credentials in the category Activity'),
  identity_score: score('Sum of the scores of the credentials in the category Identity'),
  skills_score: score('Sum of the scores of the credentials in the category Skills'),
  calculating_score: Type.Boolean({
    description:
      'True while a new score is being calculated; the old scores are served until then. False with `as_of`',
  }),
  last_calculated_at: record.ListedPassport.properties.last_calculated_at,
  human_checkmark: Type.Boolean({ description: 'True if the person is known to be human' }),
  main_wallet: nullableText('A wallet address; `0x` addresses are in lower case. null if unknown'),
  verified_wallets: Type.Array(Type.String(), { description: 'Wallet addresses' }),
  passport_profile: Profile,
  passport_socials: Type.Array(Social),
  merged_from: Type.Array(Type.Integer({ minimum: 0 }), {
    description: 'The ids of all passports that were merged into this one, also through others, lowest first',
  }),
  rules: nullableText('The rule set that calculated the scores; null if they come from the record'),
  rules_digest: nullableText('The `digest` of that rule set; null if the rule set is unknown'),
  credentials: Type.Optional(
    Type.Array(Credential, {
      description: 'With `include`. Highest score first, then by name, then by id',
    }),
  ),
  standing: Type.Optional(orNull(Standing, 'With `include`. null with `as_of`')),
  explanation: Type.Optional(orNull(Explanation, 'With `include`. null with `as_of`')),
  change: Type.Optional(Diff),
})

export const SelectedPassport = Type.Unsafe<object>(
  withOptionalFields({
    ...Passport,
    description: 'With `select`: the selected fields of a passport, which are a subset of V3Passport',
  }),
)

export const PassportOrSelected = Type.Union([Passport, SelectedPassport])

export const RuleSet = describedObject('A rule set; the same stamp always has the same contents', {
  stamp: Type.String({ description: 'The version and a short digest' }),
  digest: Type.String({
    description: 'SHA-256, in hexadecimal, of all other members except `stamp`, as canonical JSON (RFC 8785)',
  }),
  ...RuleSetFile.properties,
})

export const WriteResult = closed({
  cursor: Type.String({
    description: 'The end of the event log after the write: `after` of later reads, and of `/api/v3/events`',
  }),
})

export type WireProblem = Static<typeof Problem>
export type WirePassport = Static<typeof Passport>
export type WireSocial = Static<typeof Social>
export type WireCredential = Static<typeof Credential>
export type WireStanding = Static<typeof Standing>
export type WireExplanation = Static<typeof Explanation>
export type WireWriteResult = Static<typeof WriteResult>
