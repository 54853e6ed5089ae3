/** Parts of a passport that come with `include`. */
export type V3Include = 'credentials' | 'standing' | 'explanation'

export type V3Profile = {
  display_name: string | null
  bio: string | null
  location: string | null
  tags: string[]
}

/** A linked social profile; null is unknown. */
export type V3Social = {
  /** The social network, such as `lens`; an open set. */
  source: string
  profile_name: string | null
  profile_display_name: string | null
  profile_bio: string | null
  location: string | null
  profile_url: string | null
  profile_image_url: string | null
  follower_count: number | null
  following_count: number | null
}

/** A scored item of a passport. */
export type V3Credential = {
  id: string
  /** A machine-readable type such as `active_wallet`; an open set. */
  type: string
  name: string
  category: string
  score: number
  max_score: number
  value: string | null
  /** A date-time. */
  earned_at: string | null
  /** A date-time. */
  last_calculated_at: string
  issuer: string | null
  from: 'record' | 'rule' | null
}

/** The place of the score in the ranking. */
export type V3Standing = { rank: number; of: number; percentile: number }

export type V3ExplanationLine = {
  type: string
  name: string
  category: string | null
  score: number
  max_score: number
  from: 'record' | 'rule' | 'nothing'
  formula: string
  accounts: { account: string | null; value: string; formula: string | null }[]
}

/** How the score is calculated. */
export type V3Explanation = {
  rules: string
  score: number
  lines: V3ExplanationLine[]
  caps: Record<string, number>
}

/** A person's reputation record; null is unknown. */
export type V3Passport = {
  passport_id: number
  score: number
  activity_score: number
  identity_score: number
  skills_score: number
  /** True while a new score is being calculated; until then the old scores are served. */
  calculating_score: boolean
  /** A date-time. */
  last_calculated_at: string
  human_checkmark: boolean
  main_wallet: string | null
  verified_wallets: string[]
  passport_profile: V3Profile
  passport_socials: V3Social[]
  /** Ids of the passports that were merged into this one. */
  merged_from: number[]
  /** The rule set that calculated the scores; null if they come from the record. */
  rules: string | null
  credentials?: V3Credential[]
  /** Null with `asOf`. */
  standing?: V3Standing | null
  /** Null with `asOf`. */
  explanation?: V3Explanation | null
}

type Part<T> = T extends (infer Item)[]
  ? Part<Item>[]
  : T extends object
    ? { [Name in keyof T]?: Part<T[Name]> }
    : T

/** The selected fields of a passport. */
export type V3SelectedPassport = Part<V3Passport>

/** The result of one key. */
export type V3LookupItem<Passport = V3Passport> =
  | { key: string; passport: Passport }
  | { key: string; error: 'not_found' | 'malformed' }
  | { key: string; error: 'ambiguous'; candidates: number[] }

export type V3LookupBody<Passport = V3Passport> = { items: V3LookupItem<Passport>[]; found: number }

export type V3Group = { value: string | null; count: number }

export type V3Page<Passport = V3Passport> = {
  items: Passport[]
  /** The cursor of the next page; null on the last page. */
  next: string | null
  total: number
  groups?: V3Group[]
  more_groups?: number
}

/** Why a score changed. */
export type V3Cause = 'added' | 'gone' | 'value' | 'rules' | 'time' | 'record' | 'merge'

/** The net change of a score between two times; null if the passport did not exist. */
export type V3Diff = {
  passport_id: number
  from: string
  to: string
  score: [number | null, number | null]
  /** They add up to the difference. Without a type: the part that no credential explains. */
  causes: { type: string | null; delta: number; cause: V3Cause }[]
}

type EventData = {
  'passport.added': { score: number; human_checkmark: boolean; rules: string | null }
  'passport.changed': { fields: V3PassportField[] }
  'passport.merged': { into: number }
  'passport.unmerged': { from: number }
  'passport.removed': Record<never, never>
  'score.changed': V3ScoreChange
  'rules.changed': { rules: [string | null, string | null] }
}

export type V3EventType = keyof EventData

export type V3PassportField =
  | 'connections_count'
  | 'main_wallet'
  | 'verified_wallets'
  | 'passport_profile.display_name'
  | 'passport_profile.bio'
  | 'passport_profile.location'
  | 'passport_profile.tags'
  | 'passport_socials'
  | 'merged_from'

/** Values before and after; unchanged scores are absent. */
export type V3ScoreChange = {
  score: [number, number]
  activity_score?: [number, number]
  identity_score?: [number, number]
  skills_score?: [number, number]
  human_checkmark?: [boolean, boolean]
  last_calculated_at?: [string, string]
  rules: string | null
  /** A score is null if the passport did not have the credential. */
  credentials: { type: string; score: [number | null, number | null]; cause: V3Cause }[]
  /** The part of the change that no credential explains, such as a cap. */
  remainder?: { delta: number; cause: V3Cause }
}

/** A CloudEvents 1.0 object; `type` says which `data` it has. */
export type V3Event = {
  [Type in V3EventType]: {
    specversion: '1.0'
    /** The cursor to continue after this event. */
    id: string
    source: string
    type: Type
    /** The id of the passport; absent for changes of the rule set. */
    subject?: string
    /** A date-time. */
    time: string
    data: EventData[Type]
  }
}[V3EventType]

/** `next` is the cursor to continue after; if it is that of the request, there are no newer events yet. */
export type V3EventPage = { items: V3Event[]; next: string }
