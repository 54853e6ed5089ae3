import { readConfig } from '../../config/config.ts'
import { type DatabaseAddress, nameDatabase } from '../../config/database-address.ts'
import { orNone } from '../../config/setting.ts'
import { NO_PLAN } from '../../domain/retirement.ts'
import { parseInstant } from '../../domain/text/instant.ts'
import { parseWebAddress } from '../../domain/url.ts'
import { DATABASE_OPTIONS, defineCommand, JSON_OPTION, type Values } from '../command.ts'
import { openForCommand } from '../open-store.ts'
import {
  prepareAddBrownout,
  prepareClear,
  prepareExempt,
  prepareListBrownouts,
  prepareRemoveBrownout,
  prepareSet,
} from '../retire/retire-changes.ts'
import { prepareShow } from '../retire/retire-plan.ts'
import { preparePreview } from '../retire/retire-preview.ts'
import { prepareReport } from '../retire/retire-report.ts'
import type { RetireInput, RetireTask } from '../retire/retire-task.ts'

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

const OPTIONS = {
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
    about: 'first day of the report (30 days), compared with as many days before it',
  },
  yes: { about: 'confirm a sunset that is near or past, or "clear"' },
  undo: { about: 'end the exemption of the key' },
  ...JSON_OPTION,
  ...DATABASE_OPTIONS,
} as const

export type RetireValues = Values<typeof OPTIONS>

export const retire = defineCommand({
  name: 'retire',
  summary: 'plan the retirement of V1',
  description: 'Every running node applies a change within seconds. docs/retire.md describes the steps.',
  options: OPTIONS,
  defaultAction: 'show',
  forms: [
    { action: 'show', options: ['json'], about: 'shows the plan, the present state and the next change' },
    { action: 'set', options: ['deprecated', 'sunset', 'successor', 'notice', 'yes'] },
    { action: 'brownout add', args: 'START DURATION', options: [] },
    { action: 'brownout list', options: [] },
    { action: 'brownout remove', args: 'START', options: [] },
    { action: 'exempt', args: 'KEY_ID', options: ['undo'], about: 'exempts this key from brownouts' },
    {
      action: 'report',
      options: ['since', 'json'],
      about: 'lists the clients that still use V1, and prints an email to their owners',
    },
    { action: 'rehearse', args: 'DATE', options: [], about: 'previews the responses at that time' },
    { action: 'clear', options: ['yes'], about: 'deletes the whole plan; needs --yes' },
  ],
  examples: ['passportd retire brownout add 2026-12-01T09:00Z 2h'],
  async run({ values, args, action }, terminal) {
    const task = ACTIONS[action]({ values, args, now: terminal.now() })
    const config = readConfig(terminal.env, values)
    await using store = await openForCommand(withoutReplica(config.database))
    const plan = (await store.retirement.find()) ?? NO_PLAN
    const name = nameDatabase(config.database)
    await task({ ...config, store, plan, terminal, now: terminal.now(), name })
  },
})

/** Each action checks its arguments before the database is opened. */
const ACTIONS = {
  show: prepareShow,
  set: prepareSet,
  'brownout add': prepareAddBrownout,
  'brownout list': prepareListBrownouts,
  'brownout remove': prepareRemoveBrownout,
  exempt: prepareExempt,
  report: prepareReport,
  rehearse: preparePreview,
  clear: prepareClear,
} satisfies Record<string, (input: RetireInput) => RetireTask>

/** A replica may lag: a change must be based on the current plan. */
function withoutReplica(database: DatabaseAddress): DatabaseAddress {
  return database.engine === 'postgres' ? { engine: 'postgres', url: database.url } : database
}
