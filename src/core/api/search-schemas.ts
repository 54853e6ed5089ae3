import Type from 'typebox'
import { closed, describedObject, orNull } from '../basics/schema-helpers.ts'
import { FIELD_NAMES, OPERATORS } from '../lists/filter.ts'
import { Group, ListBody } from './schemas.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

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
      name: count('Number of passports with the name, without the chips; 0 if the text has only one of both'),
      filter: count('Number of passports that match the chips, without the name; 0 likewise'),
      near_misses: Type.Array(closed({ name: Type.String(), count: Type.Integer({ minimum: 1 }) }), {
        description: 'Similar names that passports have, at most three',
      }),
    }),
    'Other searches, if no passport matches; otherwise null',
  ),
})

export const Scores = describedObject('The distribution of the scores of all listed passports', {
  total: count('Number of passports'),
  highest: Type.Number(),
  median: Type.Number(),
  step: Type.Number({ exclusiveMinimum: 0, description: 'The width of a bucket' }),
  counts: Type.Array(Type.Integer({ minimum: 0 }), {
    description:
      'Number of passports in each bucket: the first has the scores from 0 to below `step`. The last one has all that are higher than the buckets before it',
  }),
})
