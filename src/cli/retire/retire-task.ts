import { orNone } from '../../config/setting.ts'
import type { RetirementPlan } from '../../domain/retirement.ts'
import { parseInstant } from '../../domain/text/instant.ts'
import { parseWebAddress } from '../../domain/url.ts'
import type { Store } from '../../store/store.ts'
import { DATABASE_OPTIONS, JSON_OPTION, type Values } from '../command.ts'
import type { Terminal } from '../terminal.ts'

const DATE = {
  placeholder: 'DATE',
  accepts: 'a day or a time such as 2027-01-31T12:00Z, or none',
  parse: orNone(parseInstant),
} as const

const URL_OR_NONE = {
  placeholder: 'URL',
  accepts: 'a URL such as https://example.com/v2, or none',
  parse: orNone(parseWebAddress),
} as const

export const OPTIONS = {
  deprecated: { ...DATE, about: 'start of the deprecation; none: use DEPRECATED_AT' },
  sunset: {
    ...DATE,
    about:
      'removal of V1: from then on every response is 410. A date less than 7 days ahead needs --yes; none: no removal',
  },
  successor: { ...URL_OR_NONE, about: 'replacement for V1; none deletes it' },
  notice: { ...URL_OR_NONE, about: 'your page about the retirement; none deletes it' },
  since: {
    placeholder: 'DATE',
    accepts: 'a day that is not in the future, such as 2026-01-31',
    parse: parseInstant,
    about: 'first day of the report (29 days ago)',
  },
  yes: { about: 'confirm a sunset that is near or past, or "clear"' },
  undo: { about: 'end the exemption of the key' },
  ...JSON_OPTION,
  ...DATABASE_OPTIONS,
} as const

export type RetireInput = { values: Values<typeof OPTIONS>; args: string[]; now: number }

export type RetireContext = {
  store: Store
  plan: RetirementPlan
  terminal: Terminal
  now: number
  /** The database's name in messages. */
  name: string
  deprecatedAt: number | undefined
  requireKey: boolean
}

/** An action checks its arguments before the database is opened, and returns its task. */
export type RetireAction = (input: RetireInput) => (context: RetireContext) => void | Promise<void>
