import type { Static } from 'typebox'
import type * as v3 from '../../../src/core/api/schemas.ts'
import type * as errors from '../../../src/core/basics/errors.ts'
import type * as data from '../../../src/core/history/event-data.ts'
import type * as events from '../../../src/core/history/event-schema.ts'
import type * as lists from '../../../src/core/lists/list-request.ts'
import type * as passports from '../../../src/core/passport/wire-schemas.ts'
import type * as lookups from '../../../src/features/passports/schemas.ts'
import type * as writes from '../../../src/features/records/schemas.ts'
import type * as subscriptions from '../../../src/features/webhooks/schemas.ts'

// The types are derived from the API schemas. For the package, build-types.ts replaces each `typeof` by a plain type.

/** The self-description of a person; unknown text is empty. */
export type PassportProfile = Static<typeof passports.PassportProfile>

/** A linked social profile; unknown text is empty. */
export type PassportSocial = Static<typeof passports.PassportSocial>

/** A person's reputation record, as listed. */
export type ListedPassport = Static<typeof passports.ListedPassport>

/** A person's complete reputation record. */
export type Passport = Static<typeof passports.Passport>

/** A scored item of a passport. */
export type Credential = Static<typeof passports.Credential>

/** The position of a page in the list. */
export type Pagination = {
  /** As requested, also past the last page */
  current_page: number
  /** 1 if nothing matches */
  last_page: number
  /** Number of matching passports on all pages */
  total: number
}

export type PassportPage = { passports: ListedPassport[]; pagination: Pagination }

export type V3Profile = Static<typeof v3.Profile>

/** A linked social profile; an unknown value is null. */
export type V3Social = Static<typeof v3.Social>

/** A scored item of a passport. */
export type V3Credential = Static<typeof v3.Credential>

/** The position of the score in the ranking. */
export type V3Standing = Static<typeof v3.Standing>

export type V3ExplanationLine = Static<typeof v3.ExplanationLine>

/** How the score is calculated. */
export type V3Explanation = Static<typeof v3.Explanation>

/** A person's reputation record; an unknown value is null. */
export type V3Passport = Static<typeof v3.Passport>

/** Parts of a passport that come with `include`. */
export type V3Include = keyof Pick<V3Passport, 'credentials' | 'standing' | 'explanation'>

/** A field to count passports by. */
export type V3GroupBy = (typeof lists.GROUP_FIELDS)[number]

/** A field or points to sort by, with a minus sign for descending order (`-score`), or with `since` by change. */
export type V3Sort =
  | `${'' | '-'}${(typeof lists.SORT_FIELDS)[number] | `points:${string}`}`
  | (typeof lists.MOVERS_SORTS)[number]

/** A field of a passport, as a dotted path such as `passport_profile.display_name` or `credentials.score`. */
export type V3Field = Path<V3Passport>

type Path<T> = T extends readonly (infer Item)[]
  ? Path<Item>
  : T extends object
    ? string extends keyof T
      ? never
      : { [Name in keyof T & string]-?: Name | `${Name}.${Path<T[Name]>}` }[keyof T & string]
    : never

/** The fields of `T` that the paths name. A list has these fields in each item. */
type Selected<T, Paths extends string> = T extends readonly (infer Item)[]
  ? Selected<Item, Paths>[]
  : T extends object
    ? {
        [Name in keyof T & First<Paths>]-?: Name extends Paths
          ? Required<T>[Name]
          : Selected<Required<T>[Name], Rest<Paths, Name>>
      }
    : T

type First<Path extends string> = Path extends `${infer Name}.${string}` ? Name : Path
type Rest<Path extends string, Name extends string> = Path extends `${Name}.${infer Inner}` ? Inner : never

type Part<T> = T extends readonly (infer Item)[]
  ? Part<Item>[]
  : T extends object
    ? { [Name in keyof T]?: Part<T[Name]> }
    : T

/** Some fields of a passport: the result of a `select` whose names are known only at run time. */
export type V3SelectedPassport = Part<V3Passport>

/** The passport of a response: the fields of `select` and `include`, or else all fields and the included parts. */
export type V3Shown<Options = Record<never, never>> = Chosen<
  ValueOf<Options, 'select'>,
  PartsOf<ValueOf<Options, 'include'>>
>

type ValueOf<Options, Name> = Name extends keyof Options ? Options[Name] : undefined

/** The parts that a tuple names, in a tuple of their own so that a union of tuples stays a union. */
type PartsOf<Names> = Names extends readonly V3Include[]
  ? [number extends Names['length'] ? never : Names[number]]
  : [never]

type Chosen<Names, Parts extends [V3Include]> = Parts extends unknown
  ? Names extends readonly string[]
    ? number extends Names['length']
      ? V3SelectedPassport
      : Selected<V3Passport, Names[number] | Parts[0]>
    : V3Passport & Required<Pick<V3Passport, Parts[0]>>
  : never

/** The lookup result for one key. */
export type V3LookupItem<Passport = V3Passport> =
  | { key: string; passport: Passport }
  | Exclude<Static<typeof lookups.LookupItem>, { passport: unknown }>

export type V3LookupBody<Passport = V3Passport> = { items: V3LookupItem<Passport>[]; found: number }

export type V3Group = Static<typeof lookups.Group>

export type V3Page<Passport = V3Passport> = Omit<Static<typeof lookups.ListBody>, 'items'> & {
  items: Passport[]
}

/** Words of a search text that are a filter. */
export type V3Chip = Static<typeof lookups.Chip>

/** The passports that a text means, and how it was read. */
export type V3SearchPage<Passport = V3Passport> = Omit<Static<typeof lookups.SearchBody>, 'items'> & {
  items: Passport[]
}

/** The distribution of the scores of all listed passports. */
export type V3Scores = Static<typeof lookups.Scores>

/** The net change of a score between two times. A score is null if the passport did not exist. */
export type V3Diff = Static<typeof events.Diff>

/** Why a score changed. */
export type V3Cause = V3Diff['causes'][number]['cause']

/** The scores before and after a change; unchanged scores are absent. */
export type V3ScoreChange = Static<typeof events.ScoreChangedData>

type EventData = Static<typeof data.EventData>

export type V3EventType = keyof EventData

export type V3PassportField = EventData['passport.changed']['fields'][number]

/** A CloudEvents 1.0 object; `type` says which `data` it has. */
export type V3Event<Types extends V3EventType = V3EventType> = {
  [Type in Types]: Omit<Static<typeof events.Event>, 'type' | 'data'> & {
    type: Type
    data: EventData[Type]
  }
}[Types]

/** `next` is the cursor to continue after. If it equals the cursor of the request, there are no newer events yet. */
export type V3EventPage<Types extends V3EventType = V3EventType> = { items: V3Event<Types>[]; next: string }

/** The head of the hash chain over the event log. */
export type V3Log = Static<typeof events.Log>

/** A rule set; the same stamp always has the same contents. */
export type V3RuleSet = Static<typeof v3.RuleSet>

/** A passport, or with `removed` the removal of one. */
export type V3PassportRecord = Static<typeof writes.PassportRecord>

type DataPointRecord = Static<typeof writes.DataPointRecord>

/** A data point of a passport, or with `withdrawn` its withdrawal. */
export type V3DataPointRecord =
  | (DataPointRecord & { value: NonNullable<DataPointRecord['value']> })
  | (DataPointRecord & { withdrawn: true })

export type V3Record = V3PassportRecord | V3DataPointRecord

/** The outcomes of a write, and the cursor to read after. */
export type V3WriteResult = Static<typeof writes.RecordsResult>

/** A webhook and its delivery state. */
export type V3Subscription = Static<typeof subscriptions.Subscription>

export type V3SubscriptionRequest = Static<typeof subscriptions.SubscriptionRequest>

/** Absent members stay unchanged. */
export type V3SubscriptionPatch = Static<typeof subscriptions.SubscriptionPatch>

export type ServiceErrorCode = Exclude<keyof typeof errors.STATUS_OF, 'not_acceptable'>
