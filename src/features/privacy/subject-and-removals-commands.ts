import { CommandError } from '../../core/basics/errors.ts'
import { toJsonText } from '../../core/basics/text/quote.ts'
import { DATABASE_OPTIONS, defineCommand } from '../../core/cli/command.ts'
import { openConfigured } from '../../core/cli/open-store.ts'
import { describeRemovals, readRemovalList, toLines } from '../../core/cli/removal-list.ts'
import { SUBJECTS } from '../../core/store/sql/passports.ts'
import { REMOVALS } from '../../core/store/write/write-records.ts'
import { parseRef } from './hide-and-bar-commands.ts'
import { EXPORTS } from './subject-statements.ts'

export const subject = defineCommand({
  name: 'subject',
  summary: 'export everything that is stored about a person',
  description: `Prints JSON: the record, credentials, data points with their issuers, wallets, handles, events, audit
    entries and mirrored copies, also of a hidden passport and of the passports merged into it.`,
  options: DATABASE_OPTIONS,
  forms: [{ action: 'export', args: 'ID|WALLET' }],
  async run({ values, args: [text = ''] }, terminal) {
    const ref = parseRef(text)
    await using database = await openConfigured(terminal, values)
    const { data } = database.store
    const person = 'id' in ref ? ref : await data(SUBJECTS).find(ref.wallet)
    const rows = person && (await data(EXPORTS).export(person.id))
    if (!rows) throw new CommandError(`Nothing is stored about ${text} here.`)
    terminal.out(toJsonText(rows, 2))
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
    const removals = database.store.data(REMOVALS)
    if (action === 'list') return terminal.out(toLines(await removals.list()))
    await removals.apply(list, terminal.now())
    terminal.err(describeRemovals(list))
  },
})
