import { readFileSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import { parseRecord } from '../../domain/record/parse-record.ts'
import type { IncomingRecord, PassportRecord } from '../../domain/record/record.ts'
import { DEFAULT_RULES, type Rule } from '../../scoring/rules.ts'
import file from './people.jsonl.zst' with { type: 'file' }

const DAY = 86_400_000

/** `day` counts from 1970, or if negative from the begin of the history. */
type Dated = { type: string; day?: number }
type DemoCredential = Dated & { score: number; value: string }
/** A `#` in `display` stands for the value. Without a value, the value is the day. */
type DemoPoint = Dated & { value?: number | true; account?: string; display?: string }
type DemoSocial = { source: string; profile_name: string; profile_image_url?: string }
type DemoPassport = {
  verified_wallets: string[]
  passport_profile: { display_name: string }
  passport_socials?: DemoSocial[]
  credentials?: DemoCredential[]
  data_points: DemoPoint[]
}
type DemoChange = DemoPoint & { passport: number; step: number }

export type Demo = { people: PassportRecord[]; changes: { step: number; record: IncomingRecord }[] }

/**
 * The invented people of the demo, and their changes by step of the history. The file (193 kB; `zstdcat` shows it) has
 * one record a line, in the format of docs/records.md without what follows from other fields. It was written once, by
 * the generator of version 0.2.1: a thousand people, and one who was merged into another.
 */
export function readDemo(begin: number): Demo {
  const demo: Demo = { people: [], changes: [] }
  for (const text of zstdDecompressSync(readFileSync(file)).toString().trimEnd().split('\n')) {
    const line: DemoPassport | DemoChange = JSON.parse(text)
    if ('step' in line) {
      const record = parse(toPointLine(line, begin), begin)
      demo.changes.push({ step: line.step, record })
    } else {
      const record = parse(toPassportLine(line, begin), begin)
      if (record.kind === 'passport') demo.people.push(record.passport)
    }
  }
  return demo
}

const parse = (line: object, now: number): IncomingRecord =>
  parseRecord(line, { now, rawKindOf: () => undefined, rescore: false }).record

function toPassportLine(line: DemoPassport, begin: number): object {
  const { verified_wallets, passport_profile, passport_socials = [], credentials = [] } = line
  return {
    ...line,
    main_wallet: verified_wallets[0],
    passport_socials: passport_socials.map((social) => {
      const url = `https://example.com/${social.source}/${social.profile_name}`
      const image = social.profile_image_url ? `${url}.png` : ''
      const profile_display_name = passport_profile.display_name
      return { ...social, profile_display_name, profile_url: url, profile_image_url: image }
    }),
    credentials: credentials.map((credential) => {
      const { name, category, max_score } = DEFAULT_RULES.types[credential.type] as Rule
      return { ...credential, name, category, max_score, earned_at: toInstant(credential, begin) }
    }),
    data_points: line.data_points.map((point) => toPointLine(point, begin)),
  }
}

function toPointLine({ display = '', ...point }: DemoPoint, begin: number): object {
  const { value } = point
  if (value === undefined) {
    const date = toInstant(point, begin - (begin % DAY))
    return { ...point, value: date, display, earned_at: date }
  }
  return { ...point, display: display.replace('#', `${value}`), earned_at: toInstant(point, begin) }
}

const toInstant = ({ day }: Dated, begin: number): string | null =>
  day === undefined ? null : new Date(day * DAY + (day < 0 ? begin : 0)).toISOString()
