import { isoTime, parseInstant } from '../basics/text/instant.ts'
import { printable, toJsonText } from '../basics/text/quote.ts'
import { whole } from '../config/setting-parsers.ts'
import { AUDIT } from '../store/sql/audit-log.ts'
import { DATABASE_OPTIONS, defineCommand, JSON_OPTION } from './command.ts'
import { openConfigured } from './open-store.ts'
import { formatTable } from './table.ts'

const MOST_ENTRIES = 100_000

export const audit = defineCommand({
  name: 'audit',
  summary: 'list the changes by people and API keys',
  description: `Lists who changed keys, rule sets, merges, removals and the retirement plan, and when; the latest
    change comes last.`,
  options: {
    since: {
      placeholder: 'DATE',
      accepts: 'a day or a time, such as 2026-01-31 or 2026-01-31T12:00:00Z',
      parse: parseInstant,
      about: 'list only changes since this day or time (UTC)',
    },
    limit: {
      placeholder: 'N',
      default: '100',
      accepts: `a number from 1 to ${MOST_ENTRIES}`,
      parse: whole(1, MOST_ENTRIES),
      about: 'list at most the latest N changes',
    },
    ...JSON_OPTION,
    ...DATABASE_OPTIONS,
  },
  forms: [{}],
  async run({ values, values: { since, limit } }, terminal) {
    await using database = await openConfigured(terminal, values)
    const entries = (await database.store.data(AUDIT).list({ since, limit })).reverse()
    const items = entries.map(({ time, ...entry }) => ({ time: isoTime(time) as string, ...entry }))
    if (values.json) return terminal.out(toJsonText(items))
    const rows = items.map(({ detail, ...entry }) => [...Object.values(entry), printable(describe(detail))])
    terminal.out(formatTable([['TIME', 'ACTOR', 'ACTION', 'DETAIL'], ...rows]))
    if (rows.length === limit) terminal.err('There may be earlier changes: --limit N lists more.\n')
  },
})

/** Joins names and values: "keys 4ebad6e6fc; scopes read, events; expires none". */
const describe = (detail: object) =>
  Object.entries(detail)
    .map(([name, value]) => `${name} ${[value ?? []].flat().join(', ') || 'none'}`)
    .join('; ')
