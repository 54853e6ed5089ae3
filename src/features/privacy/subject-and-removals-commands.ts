import { readFileSync } from 'node:fs'
import { CommandError } from '../../core/basics/errors.ts'
import { count } from '../../core/basics/text/counts-and-sizes.ts'
import { quote, toJsonText } from '../../core/basics/text/quote.ts'
import { DATABASE_OPTIONS, defineCommand } from '../../core/cli/command.ts'
import { openConfigured } from '../../core/cli/open-store.ts'
import { parseRef } from './hide-and-bar-commands.ts'
import type { Removal } from './store.ts'

export const subject = defineCommand({
  name: 'subject',
  summary: 'export everything that is stored about a person',
  description: `Prints JSON: the record, credentials, data points with their issuers, wallets, handles, events, audit
    entries and mirrored copies, also of a hidden passport and of the passports merged into it.`,
  options: DATABASE_OPTIONS,
  forms: [{ action: 'export', args: 'ID|WALLET' }],
  async run({ values, args: [given = ''] }, terminal) {
    const ref = parseRef(given)
    await using database = await openConfigured(terminal, values)
    const { subjects } = database.store
    const person = 'id' in ref ? ref : await subjects.find(ref.wallet)
    const found = person && (await subjects.export(person.id))
    if (!found) throw new CommandError(`Nothing is stored about ${given} here.`)
    terminal.out(toJsonText(found, 2))
  },
})

export const removals = defineCommand({
  name: 'removals',
  summary: 'keep the list of removals outside of the database',
  description: `A backup older than a removal still has the removed person. Keep the list elsewhere, and apply it after
    pg_restore. "backup" and "restore" do this for SQLite with --removals.`,
  options: DATABASE_OPTIONS,
  forms: [
    { action: 'list', about: 'prints ids, and the SHA-256 of wallets' },
    { action: 'apply', args: 'LIST', about: 'removes the listed people again' },
  ],
  async run({ values, action, args: [file = ''] }, terminal) {
    const list = action === 'apply' ? readRemovalList(file) : []
    await using database = await openConfigured(terminal, values)
    const { removals } = database.store
    if (action === 'list') return terminal.out(toLines(await removals.list()))
    await removals.apply(list, terminal.now())
    terminal.err(describeRemovals(list))
  },
})

/** A list has the ids of removed passports, and the digests of wallets that are skipped. */
export function describeRemovals(list: readonly Removal[]): string {
  const ids = list.filter((each) => each.length < 16).length
  return `The removals of ${count(ids, 'passport')} and ${count(list.length - ids, 'wallet')} are applied.\n`
}

export const toLines = (removals: readonly Removal[]) => [...removals, ''].join('\n')

export function readRemovalList(file: string): Removal[] {
  const lines: string[] = readFileSync(file, 'utf8').match(/.+/g) ?? []
  const wrong = lines.find((line) => !/^(\d{1,15}|[\da-f]{64})$/.test(line))
  if (wrong === undefined) return lines
  const accepted = 'the id of a passport, or the SHA-256 of a wallet in hexadecimal'
  throw new CommandError(`${file} has the line ${quote(wrong)}, but each line must be ${accepted}.`)
}
