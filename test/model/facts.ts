export type RecordCredential = {
  id: string
  type: string
  name: string
  category: string
  score: number
  max_score: number
  value: string
}

/** A record as the operations write it. */
export type PassportLine = {
  passport_id: number
  score?: number
  human_checkmark?: boolean
  main_wallet?: string
  verified_wallets?: readonly string[]
  passport_profile?: { display_name?: string; location?: string; tags?: readonly string[] }
  passport_socials?: readonly { source: string; profile_name: string; follower_count?: string }[]
  credentials?: readonly RecordCredential[]
}

export type PointLine = {
  passport: number
  type: string
  account?: string
  value?: number | boolean
  display?: string
  withdrawn?: true
}

export type Line = PassportLine | PointLine
export type Outcome = 'added' | 'changed' | 'unchanged' | 'removed' | 'refused'

export type Point = {
  type: string
  account: string
  value: number | boolean
  display: string
  added: number
  /** Absent for the operator. */
  issuer?: string
  /** The merged passport that the record of the last value named. Absent for the passport that has the data point. */
  writtenFor?: number
}

/** Who may write data points of these types only. */
export type Issuer = { name: string; types: readonly string[] }
