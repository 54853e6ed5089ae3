import Type, { type Static } from 'typebox'
import { PassportOrSelected } from '../../core/api/schemas.ts'
import { closed, describedObject, orNull } from '../../core/basics/schema-helpers.ts'
import { FIELD_NAMES, OPERATORS } from '../../core/lists/filter.ts'
import { GROUP_FIELDS, MOST_GROUP_FIELDS } from '../../core/lists/list-request.ts'

export const LookupRequest = closed({
  keys: Type.Array(Type.String(), {
    maxItems: 1000,
    description: 'Ids, wallets and handles such as `github:zoe`',
  }),
  include: Type.Optional(
    Type.Array(Type.Enum(['credentials', 'standing', 'explanation']), { maxItems: 100 }),
  ),
  select: Type.Optional(
    Type.Array(Type.String(), { minItems: 1, maxItems: 100, description: 'Dotted paths of fields' }),
  ),
  as_of: Type.Optional(
    Type.String({ description: 'A day or time in ISO 8601: the scores and credentials of that time' }),
  ),
  after: Type.Optional(
    Type.String({ description: 'The cursor of a write: the response includes that write' }),
  ),
})

export const LookupItem = Type.Union(
  [
    closed({ key: Type.String(), passport: PassportOrSelected }),
    closed({ key: Type.String(), error: Type.Enum(['not_found', 'malformed']) }),
    closed({
      key: Type.String(),
      error: Type.Literal('ambiguous'),
      candidates: Type.Array(Type.Integer({ minimum: 0 }), {
        maxItems: 10,
        description: 'Ids of passports that have the handle',
      }),
    }),
  ],
  { description: 'The result of one key' },
)

export const LookupBody = closed({
  items: Type.Array(LookupItem, { description: 'One for each key, in the order of the keys' }),
  found: Type.Integer({ minimum: 0, description: 'Number of items with a passport' }),
})

export const Group = closed({
  field: Type.Enum([...GROUP_FIELDS], { description: 'One of `group_by`' }),
  value: orNull(Type.String(), 'In lower case, without accents; null for passports without a value'),
  label: orNull(Type.String(), 'The value as a passport has it; null for passports without a value'),
  count: Type.Integer({ minimum: 1, description: 'Number of matching passports with the value' }),
})

export const ListBody = closed({
  items: Type.Array(PassportOrSelected),
  next: orNull(Type.String(), 'The `cursor` of the next page; null on the last page'),
  total: Type.Integer({ minimum: 0, description: 'Number of all matching passports' }),
  groups: Type.Optional(
    Type.Array(Group, {
      maxItems: 100 * MOST_GROUP_FIELDS,
      description:
        'With `group_by`. All matching passports by value: the fields in the order of the request, with at most 100 groups each, the largest first',
    }),
  ),
  more_groups: Type.Optional(
    Type.Integer({ minimum: 0, description: 'With `group_by`. Number of groups that were left out' }),
  ),
})

const countSchema = (description: string) => Type.Integer({ minimum: 0, description })

export const Chip = describedObject('Words of a search text that are a filter', {
  words: Type.String({ description: 'As typed' }),
  filter: Type.String({ description: 'The term for `filter`, such as `location:lisbon|porto`' }),
  field: Type.Enum([...FIELD_NAMES]),
  values: Type.Array(
    closed({
      not: Type.Boolean({ description: 'Passports with this value are left out' }),
      operator: Type.Enum([...OPERATORS]),
      value: Type.Union([Type.String(), Type.Number()], {
        description: 'Text is in lower case, without accents',
      }),
      label: Type.String({ description: 'The value as a passport has it, or the name of the credential' }),
      type: orNull(Type.String(), 'With the field `points`: the type of the credential'),
    }),
    { description: 'A passport with one of them matches' },
  ),
})

export const SearchMatch = describedObject('A passport that was found by its id, a wallet or a handle', {
  passport_id: Type.Integer({ minimum: 0 }),
  kind: Type.Enum(['id', 'wallet', 'handle']),
  text: Type.String({ description: 'The id, wallet or handle, which is or begins with the text' }),
})

export const SearchBody = closed({
  ...ListBody.properties,
  reading: describedObject('How the text was read: passports that match all chips, with this name', {
    name: Type.String({ description: 'The words that are no filter; empty if all are' }),
    filter: Type.String({ description: 'All chips in one `filter`; empty without chips' }),
    chips: Type.Array(Chip),
  }),
  matches: Type.Array(SearchMatch, {
    description: 'Those of the items that were found by id, wallet or handle; only on the first page',
  }),
  suggestions: Type.Array(Group, { description: 'Tags, places and credentials that begin with the name' }),
  instead: orNull(
    closed({
      name: countSchema(
        'Number of passports with the name, without the chips; 0 if the text has only one of both',
      ),
      filter: countSchema('Number of passports that match the chips, without the name; 0 likewise'),
      near_misses: Type.Array(closed({ name: Type.String(), count: Type.Integer({ minimum: 1 }) }), {
        description: 'Similar names that passports have, at most three',
      }),
    }),
    'Other searches, if no passport matches; otherwise null',
  ),
})

export const Scores = describedObject('The distribution of the scores of all listed passports', {
  total: countSchema('Number of passports'),
  highest: Type.Number(),
  median: Type.Number(),
  step: Type.Number({ exclusiveMinimum: 0, description: 'The width of a bucket' }),
  counts: Type.Array(Type.Integer({ minimum: 0 }), {
    description:
      'Number of passports in each bucket: the first has the scores from 0 to below `step`. The last one has all that are higher than the buckets before it',
  }),
})

export type WireLookupRequest = Static<typeof LookupRequest>
