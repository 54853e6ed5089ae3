import { CommandError } from '../../core/basics/errors.ts'
import { parseInstant } from '../../core/basics/text/instant.ts'
import { printable, toJsonText } from '../../core/basics/text/quote.ts'
import { DATABASE_OPTIONS, defineCommand, invalidValue, JSON_OPTION } from '../../core/cli/command.ts'
import { openConfigured } from '../../core/cli/open-store.ts'
import { BY_KEY, findRef, parseKey } from '../../core/cli/passport-argument.ts'
import { formatTable } from '../../core/cli/table.ts'
import { type Change, causesOf, type EventContent } from '../../core/history/event.ts'
import type { WireDiff } from '../../core/history/event-schema.ts'
import { presentEvent, presentTime } from '../../core/history/present-event.ts'
import { readLater } from '../../core/history/read-later.ts'
import { findDiff } from './diff.ts'

export const history = defineCommand({
  name: 'history',
  summary: 'list the changes of a passport',
  description: `Lists its events, oldest first: when it was added, changed, merged and scored, and why its score
    changed. Events of a removed passport are deleted, except the removal.`,
  options: { ...JSON_OPTION, ...DATABASE_OPTIONS },
  forms: [{ args: 'ID', about: BY_KEY }],
  async run({ values, args: [argument = ''] }, terminal) {
    const key = parseKey(argument)
    await using database = await openConfigured(terminal, values)
    const { store } = database
    const ref = await findRef(store, key)
    const passport = ref && (await store.passports.find(ref))
    const id = ref && 'id' in ref ? ref.id : passport?.id
    const log = await store.events.log()
    const pages = readLater(store.events, id === undefined ? [] : [id], 0, () => undefined)
    const events = (await Array.fromAsync(pages)).flat().reverse()
    if (events.length === 0 && !passport)
      throw new CommandError(`There is no passport ${argument} in ${database.name}.`)
    if (values.json) {
      const items = events.map((event) => presentEvent(event, { log: log.name, source: '/api/v3' }))
      return terminal.out(toJsonText(items, 2))
    }
    const rows = events.map((event) => [
      String(event.sequence),
      presentTime(event.time),
      event.type,
      describeEvent(event),
    ])
    terminal.out(formatTable([['NUMBER', 'TIME', 'EVENT', 'CHANGE'], ...rows]))
    terminal.err(`Changes are logged since ${presentTime(log.knownSince)}.\n`)
  },
})

export const diff = defineCommand({
  name: 'diff',
  summary: 'explain why a score changed between two times',
  description: `Compares the score at FROM with the score at TO and lists the causes, which add up to the
    difference. Accepts the times that "history" prints; TO is now by default. A merged passport has the history of
    the passport it is merged into.`,
  options: { ...JSON_OPTION, ...DATABASE_OPTIONS },
  forms: [{ args: 'ID FROM [TO]', about: `${BY_KEY}, and times such as 2026-11-01 or now` }],
  examples: ['passportd diff 7 2026-10-01', 'passportd diff 7 2026-10-01 2026-11-01T12:00:00Z'],
  async run({ values, args: [argument = '', first = '', second = 'now'] }, terminal) {
    parseKey(argument)
    const now = terminal.now()
    const times = { from: parseTimeArgument('FROM', first, now), to: parseTimeArgument('TO', second, now) }
    if (times.from > times.to) throw invalidValue('TO must be a time after FROM', second)
    await using database = await openConfigured(terminal, values)
    const change = await findDiff(database, argument, times)
    terminal.out(values.json ? toJsonText(change, 2) : describeEvents(change))
  },
})

function parseTimeArgument(name: string, text: string, now: number): number {
  const time = text === 'now' ? now : parseInstant(text)
  if (time === undefined)
    throw invalidValue(`${name} must be now, or a time such as 2026-11-01 or 2026-11-01T12:00:00Z`, text)
  return time
}

function describeEvent(event: EventContent): string {
  switch (event.type) {
    case 'passport.added':
      return `score ${event.score}`
    case 'passport.changed':
      return event.fields.join(', ')
    case 'passport.merged':
      return `into ${event.into}`
    case 'passport.unmerged':
      return `from ${event.from}`
    case 'passport.removed':
      return ''
    case 'score.changed': {
      const causes = causesOf(event.change).map(
        ({ type, delta, cause }) => `${nameType(type)} ${signed(delta)} (${cause})`,
      )
      return [toArrow(event.change.score), ...causes].join(', ')
    }
    case 'rules.changed':
      return printable(toArrow(event.rules))
  }
}

const toArrow = ([before, after]: Change<string | number | null>) =>
  before === after ? `${after}` : `${before ?? 'none'} -> ${after ?? 'none'}`

/** A cause has no type if it is the cap of a category, a category that does not count, or the score in the record. */
const nameType = (type: string | null = null) => (type === null ? 'other' : printable(type))

const signed = (delta: number) => (delta > 0 ? `+${delta}` : String(delta))

function describeEvents({ passport_id, score, causes }: WireDiff): string {
  const rows = causes.map(({ type, delta, cause }) => [nameType(type), signed(delta), cause])
  const table = rows.length > 0 ? formatTable([['TYPE', 'CHANGE', 'CAUSE'], ...rows]) : ''
  return `Passport ${passport_id}: ${toArrow(score)}\n${table}`
}
